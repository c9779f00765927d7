import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Changes } from '../web/address.ts';
import type { PageDeps } from './show.ts';
import { timesAsked } from './show.ts';
import type { Visit } from './visit.ts';

export type Format = 'csv' | 'ndjson';
const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

export interface Download {
  /** Stands in the file's name. */
  readonly name: string;
  readonly path: string;
  readonly question: Changes;
  readonly format: Format;
}

/**
 * Everything that a page's filter finds, at the times of the visit. It goes through as it comes:
 * nothing is gathered here, and it ends when the reader goes away.
 */
export async function download(
  { api }: PageDeps,
  visit: Visit,
  { name, path, question, format }: Download,
): Promise<void> {
  const { ctx, asker, times } = visit;
  const asked = { ...timesAsked(visit), ...question };
  const answer = await api.export(asker, path, asked, TYPES[format]);
  const known = times.knownAt.replaceAll(/[-:]|\.\d+/g, '').replace(/[^0-9TZ]/g, '');
  const asOf = times.asOf.replace(/[^0-9-]/g, '');
  ctx.status = 200;
  ctx.set('Content-Type', `${TYPES[format]}; charset=utf-8`);
  ctx.set(
    'Content-Disposition',
    `attachment; filename="cls-${name}_asof-${asOf}_known-${known}.${format}"`,
  );
  ctx.body = answer.body === null ? '' : Readable.fromWeb(answer.body as ReadableStream);
}
