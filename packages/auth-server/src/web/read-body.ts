import type { IncomingMessage } from 'node:http';

/**
 * A request's body, or undefined when it is larger; the rest is not read then, and the connection
 * must be closed after the answer. Leaving the loop of an async iterator early would cut it before.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      resolve(undefined);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject); // The caller went away in the middle of its body.
  });
}
