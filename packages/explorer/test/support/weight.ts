import { gzipSync } from 'node:zlib';

const MOST = { bytes: 60_000, compressed: 15_000 };

/** What a page weighs beyond its budget (docs/guides/explorer.md); undefined where it is within it. */
export function tooHeavy(html: string | Buffer): string | undefined {
  const [bytes, compressed] = [Buffer.byteLength(html), gzipSync(html).length];
  if (bytes <= MOST.bytes && compressed <= MOST.compressed) return undefined;
  return `${bytes} bytes, ${compressed} compressed`;
}
