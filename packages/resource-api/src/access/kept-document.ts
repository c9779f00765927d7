/**
 * Keeps what the issuer published last on disk, its keys and its status lists, so that the API can verify
 * tokens after a restart while auth-server is down. Whoever can write to the data directory controls the
 * service anyway.
 */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DocumentFile } from './key-source.ts';

/** How often an unchanged set is written again, so that its age stays small. */
const REWRITE_MS = 10 * 60_000;

/**
 * @param url the key set's address: a file from another address is ignored.
 * @param onFailure told once, until the file can be written again.
 */
export function documentFile(
  path: string,
  url: string,
  onFailure: (error: Error) => void,
): DocumentFile {
  let written: { text: string; atMs: number } | undefined;
  let failed = false;
  return {
    load() {
      const kept = readJson(path);
      const readAtMs = Date.parse(String(kept?.['readAt']));
      const ageMs = Date.now() - readAtMs;
      // A time in the future, or none, does not tell the age.
      if (kept?.['url'] !== url || !(ageMs >= 0)) return undefined;
      return { document: kept['document'], ageMs };
    },
    keep(document, ageMs = 0) {
      const text = JSON.stringify(document);
      const nowMs = Date.now();
      const fresh = written?.text === text && Math.abs(nowMs - written.atMs) < REWRITE_MS;
      if (fresh) return;
      try {
        mkdirSync(dirname(path), { recursive: true });
        const readAt = new Date(nowMs - ageMs).toISOString();
        // Written beside and renamed: a crash leaves the old file or the new one.
        writeFileSync(`${path}.${process.pid}`, JSON.stringify({ url, readAt, document }));
        renameSync(`${path}.${process.pid}`, path);
        written = { text, atMs: nowMs };
        failed = false;
      } catch (error) {
        if (failed) return;
        failed = true;
        onFailure(error instanceof Error ? error : new Error(String(error)));
      }
    },
  };
}

function readJson(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
