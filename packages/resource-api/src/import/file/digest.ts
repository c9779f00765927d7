import { createHash } from 'node:crypto';
import { type StatementSource, UnreadableFile } from './table.ts';
import { unpack } from './unpack.ts';

/**
 * The SHA-256 of a statement's content, and its second file's, whether they came compressed or not. Of a file
 * that cannot be unpacked, it is of the bytes as they are.
 */
export async function digestOf(
  source: StatementSource,
  second: StatementSource | undefined,
): Promise<string> {
  const hash = createHash('sha256');
  for (const one of second === undefined ? [source] : [source, second]) {
    for await (const chunk of contentOf(one)) hash.update(chunk);
  }
  return hash.digest('hex');
}

async function* contentOf(source: StatementSource): AsyncGenerator<Uint8Array> {
  try {
    const content = await unpack(source);
    yield* content.kind === 'text' ? content.bytes() : content.source.bytes();
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    yield* source.bytes();
  }
}
