import type { IncomingMessage } from 'node:http';
import { GatheredBytes } from '@cls/shared/http/gathered-bytes';

/**
 * A request's body, or undefined when it is larger; the rest is not read then, and the connection
 * must be closed after the answer. Leaving the loop of an async iterator early would cut it before.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const bytes = new GatheredBytes();
    request.on('data', (chunk: Buffer) => {
      bytes.add(chunk);
      if (bytes.length <= maxBytes) return;
      request.pause();
      resolve(undefined);
    });
    request.once('end', () => resolve(bytes.take()));
    request.once('error', reject); // The caller went away in the middle of its body.
  });
}
