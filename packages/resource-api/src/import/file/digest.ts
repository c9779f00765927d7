import { createHash } from 'node:crypto';
import type { StatementSource } from './table.ts';
import { unpack } from './unpack.ts';

/**
 * The SHA-256 of a statement's content, whether it came compressed or not, in hexadecimal digits; of a
 * statement and its second file together where there is one.
 */
export async function digestOf(
  source: StatementSource,
  second: StatementSource | undefined,
): Promise<string> {
  const hash = createHash('sha256');
  for (const one of second === undefined ? [source] : [source, second]) {
    const content = await unpack(one);
    const bytes = content.kind === 'text' ? content.bytes() : content.source.bytes();
    for await (const chunk of bytes) hash.update(chunk);
  }
  return hash.digest('hex');
}
