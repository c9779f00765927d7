import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { endWithAnswer, type LongAnswers } from '@cls/shared/http/long-answers';
import { Refusal } from '@cls/shared/http/refusal';
import { ApiRefused } from '../balances/api-client.ts';
import type { Changes } from '../web/address.ts';
import type { PageDeps } from './show.ts';
import { timesAsked } from './show.ts';
import type { Visit } from './visit.ts';

export type Format = 'csv' | 'ndjson';
const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

export interface DownloadDeps extends PageDeps {
  readonly longAnswers: LongAnswers;
}

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
 *
 * @throws {ApiRefused} also where as many downloads are under way here as may be
 */
export async function download(
  { api, longAnswers }: DownloadDeps,
  visit: Visit,
  { name, path, question, format }: Download,
): Promise<void> {
  const { ctx, asker, times, session } = visit;
  endWithAnswer(ctx.res, beginDownload(longAnswers, session.subject));
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

/** Says a refusal of our own limits as the API says those of its own: they have the same page. */
function beginDownload(longAnswers: LongAnswers, caller: string): () => void {
  try {
    return longAnswers.begin({ caller, customer: undefined });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { details } = error;
    throw new ApiRefused(details, details.status, details.headers?.['Retry-After']);
  }
}
