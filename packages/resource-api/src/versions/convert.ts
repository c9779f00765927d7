import { Readable } from 'node:stream';
import type { Exchange, OperationKey, Release } from '../lifecycle/release.ts';
import type { ApiVersion, VersionRequest, VersionResponse, VersionRoute } from './api-version.ts';
import { type Conversion, convertLinks, responseSchema } from './conversion.ts';
import { convertExport } from './convert-export.ts';
import { etagOf } from './etag.ts';
import { isObject, projector } from './project.ts';

/**
 * A path of an older version, answered by the newest version's code: the version's own validation,
 * changes up, the newest code, changes down, and then only what the version's contract declares.
 *
 * @param later the releases after the version, oldest first.
 */
export function convertedRoute(
  version: ApiVersion,
  own: VersionRoute,
  newest: VersionRoute,
  later: readonly Release[],
): VersionRoute {
  const operation: OperationKey = `GET ${own.path as `/${string}`}`;
  const oldestFirst = later.flatMap(({ changes }) => changes);
  const head = later.at(-1)?.id ?? version.id;
  const conversion: Conversion = {
    version,
    operation,
    project: projector(version.contract, { from: head, to: version.id }),
    changes: oldestFirst.toReversed(),
    head,
  };
  const kept = new WeakMap<object, { readonly query: string; readonly answer: VersionResponse }>();
  return {
    ...own,
    async handle(request) {
      own.check(request);
      const view = { operation, query: new URLSearchParams(request.query) };
      for (const change of oldestFirst) change.up?.(view);
      const response = await newest.handle({ ...request, query: view.query.toString() });
      if (response.body instanceof Readable) {
        return convertExport(conversion, own, request, response, response.body);
      }
      // The bytes of an answer that the newest version keeps are converted once.
      const bytes = Buffer.isBuffer(response.body) ? response.body : Buffer.from(response.body);
      const known = kept.get(bytes);
      if (known?.query === request.query) return known.answer;
      const answer = convertDocument(conversion, request, response, bytes);
      kept.set(bytes, { query: request.query, answer });
      return answer;
    },
  };
}

function convertDocument(
  { operation, project, changes, version, head }: Conversion,
  request: VersionRequest,
  { status, headers }: VersionResponse,
  bytes: Buffer,
): VersionResponse {
  const body: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isObject(body)) throw new Error('an answer is a JSON object');
  const query = new URLSearchParams(request.query);
  const exchange: Exchange = { operation, query, status, headers: { ...headers }, body };
  for (const change of changes) change.down?.(exchange);
  const schema = responseSchema(version, operation, exchange.status, 'application/json');
  const text = Buffer.from(JSON.stringify(project(schema, exchange.body)));
  return {
    status: exchange.status,
    headers: convertLinks(exchange.headers, head, version.id),
    body: text,
    etag: etagOf(text),
  };
}
