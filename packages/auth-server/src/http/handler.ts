import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { asForm, BODY_MAX_BYTES, tooLarge } from '../token/json-token-request.ts';
import type { TokenRefusal } from '../token/token-error.ts';
import { TOKEN_PATH } from './token-endpoint.ts';

/** What stands in front of the library: the request as the issuer gets it, and JSON as a form. */
export function requestHandler(
  provider: RequestListener,
  faceIssuer: (request: IncomingMessage) => void,
): RequestListener {
  return (request, response) => {
    faceIssuer(request);
    if (request.method !== 'POST' || request.url !== TOKEN_PATH) {
      provider(request, response);
      return;
    }
    if (Number(request.headers['content-length'] ?? 0) > BODY_MAX_BYTES) {
      refuse(response, tooLarge());
      return;
    }
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      provider(request, response);
      return;
    }
    asForm(request).then(
      (result) => {
        if ('status' in result) refuse(response, result);
        else provider(result, response);
      },
      () => request.destroy(), // The caller went away in the middle of its body.
    );
  };
}

/** RFC 6749 §5.2 */
function refuse(response: ServerResponse, { status, error, description }: TokenRefusal): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // The rest of an oversized body is not read.
    ...(status === 413 ? { Connection: 'close' } : {}),
  });
  response.end(JSON.stringify({ error, error_description: description }));
}
