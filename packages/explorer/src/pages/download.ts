import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { endWithAnswer, type LongAnswers } from '@cls/shared/http/long-answers';
import { Refusal } from '@cls/shared/http/refusal';
import { ApiRefused } from '../balances/api-client.ts';
import type { Changes } from '../web/address.ts';
import { WORKBOOK_TYPE } from '../web/workbook.ts';
import { shareLabel } from './deal-columns.ts';
import { dealsWorkbook } from './deals-workbook.ts';
import type { PageDeps } from './show.ts';
import { timesAsked } from './show.ts';
import type { Visit } from './visit.ts';

export type Format = 'csv' | 'ndjson' | 'xlsx';
const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: WORKBOOK_TYPE,
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
 * Everything that a page's filter finds, at the times of the visit. It goes through as it comes, a workbook
 * line by line: nothing is gathered here, and it ends when the reader goes away.
 *
 * @throws {ApiRefused} also where as many downloads are under way here as may be
 */
export async function download(
  { api, longAnswers, pages }: DownloadDeps,
  visit: Visit,
  { name, path, question, format }: Download,
): Promise<void> {
  const { ctx, asker, times, session } = visit;
  endWithAnswer(ctx.res, beginDownload(longAnswers, session.subject));
  const asked = { ...timesAsked(visit), ...question };
  const wanted = TYPES[format === 'xlsx' ? 'ndjson' : format];
  const answer = await api.export(asker, path, asked, wanted);
  const known = times.knownAt.replaceAll(/[-:]|\.\d+/g, '').replace(/[^0-9TZ]/g, '');
  const asOf = times.asOf.replace(/[^0-9-]/g, '');
  ctx.status = 200;
  ctx.set('Content-Type', format === 'xlsx' ? TYPES.xlsx : `${TYPES[format]}; charset=utf-8`);
  ctx.set(
    'Content-Disposition',
    `attachment; filename="cls-${name}_asof-${asOf}_known-${known}.${format}"`,
  );
  const body = answer.body as ReadableStream | null;
  if (body === null) ctx.body = '';
  else if (format !== 'xlsx') ctx.body = Readable.fromWeb(body);
  else {
    const isExact = visit.query.get('amounts') === 'text';
    const ofLenders = question['level'] === 'position';
    const { text } = pages.frame(ctx);
    const share = shareLabel(question['lenderId'] !== undefined);
    ctx.body = Readable.from(dealsWorkbook(body, isExact, ofLenders, share, asOf, text));
  }
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
