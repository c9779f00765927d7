import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '@cls/shared/access/caller';
import { stillAsked } from '../../access/asker.ts';
import { csvLine } from '../../csv/csv-line.ts';
import { type CurrencyTotal, FIRST, type Level } from '../../questions/ask/balance-store.ts';
import type { CopyTimes, ResolvedSnapshot } from '../../questions/ask/snapshot.ts';
import type { ReadChanges } from '../../questions/lists/read-changes.ts';
import type { ReadMovements } from '../../questions/lists/read-movements.ts';
import type { BalanceQuestion, ReadBalances } from '../../questions/page/read-balances.ts';
import { addUp, sublimitsWithin } from '../../questions/page/sublimits.ts';
import type { VersionResponse } from '../api-version.ts';
import { changePage, type RemovedItem } from './changes.ts';
import { cellsOf, checkFields, pickFields, type Shape, tableColumns } from './fields.ts';
import { type BalanceResource, presentItem, presentTotal } from './present.ts';
import { presentMovement } from './present-movement.ts';
import type { Presented } from './presented.ts';
import { type BalancesQuery, isHeavy, type Resource } from './query.ts';

interface ExportRequest {
  readonly readBalances: ReadBalances;
  readonly readChanges: ReadChanges;
  readonly readMovements: ReadMovements;
  readonly resource: Resource;
  readonly type: 'text/csv' | 'application/x-ndjson';
  readonly caller: Caller;
  readonly query: BalancesQuery;
}

/** A page of what is exported; the pages together are one snapshot. */
interface Batch {
  readonly snapshot: ResolvedSnapshot;
  /** Each is made when it is written, so that no more than one is there at a time. */
  readonly items: Iterable<Presented>;
  /** Where changes are asked for: what is gone, and since when. */
  readonly removed?: readonly RemovedItem[];
  readonly since?: Presented;
  /** Adds this page to the totals of those before it. */
  readonly addTo: (totals: Totals) => Promise<Totals>;
  /** Reads the batch that follows; undefined after the last. */
  readonly next: (() => Promise<Batch>) | undefined;
}

type Totals = ReadonlyMap<string, CurrencyTotal>;

const BATCH = 1_000;
/** Smaller, so that Node soon writes the first items while the database reads the next batch. */
const FIRST_BATCH = 200;
const PIECE_CHARS = 64 * 1_024;
/** Of items that have much in them. */
const EXPANDED_BATCH = 50;
const NAMES: Readonly<Record<Resource, string>> = {
  balances: 'balances',
  principal: 'principal-balances',
  movements: 'principal-movements',
};

/**
 * Everything that the filter finds, streamed page by page of one snapshot, so that memory stays
 * flat. The first page is read before the answer begins: a refusal is still a problem document.
 */
export async function exportList(request: ExportRequest): Promise<VersionResponse> {
  const { resource, type, query } = request;
  const { fields, level } = query;
  if (fields !== undefined) checkFields(fields, { ...query, resource });
  const first =
    resource === 'movements'
      ? await movementBatch(request)
      : query.copy === undefined
        ? await balanceBatch(request, resource)
        : await changeBatch(request, resource, query.copy);
  const { asOf } = first.snapshot;
  const made = { items: 0 };
  const [extension, lines] =
    type === 'text/csv'
      ? (['csv', csvLines(first, made, { ...query, resource }, fields)] as const)
      : (['ndjson', jsonLines(first, made, level, fields)] as const);
  const name = `cls-${NAMES[resource]}-${level}-${asOf}.${extension}`;
  return {
    status: 200,
    headers: {
      'Content-Type': type === 'text/csv' ? 'text/csv; charset=utf-8; header=present' : type,
      'Content-Disposition': `attachment; filename="${name}"`,
    },
    body: Readable.from(stillAsked<string | Buffer>(lines), { objectMode: false }),
    read: { question: query.canonical, items: () => made.items },
  };
}

async function balanceBatch(
  request: ExportRequest,
  resource: BalanceResource,
  position?: BalanceQuestion['position'],
): Promise<Batch> {
  const { readBalances, caller, query } = request;
  const limit = isHeavy(query.expand) ? EXPANDED_BATCH : batchSize(position);
  const question = { ...query, totals: 'none' as const, limit, position };
  const page = await readBalances(caller, question);
  const { snapshot, readings, next } = page;
  return {
    snapshot,
    items: each(readings, (reading) => presentItem(resource, reading, page)),
    addTo: async (totals) =>
      addUp(totals, readings, await sublimitsWithin(readBalances, caller, page)),
    next: next && (() => balanceBatch(request, resource, { ...snapshot, after: next })),
  };
}

async function changeBatch(
  request: ExportRequest,
  resource: BalanceResource,
  copy: CopyTimes,
  walk?: Parameters<typeof changePage>[4],
): Promise<Batch> {
  const { readBalances, readChanges, caller, query } = request;
  const question = { ...query, copy, fields: undefined, limit: BATCH, position: undefined };
  const page = await changePage(readChanges, caller, resource, question, walk);
  const { snapshot, copied, changed, removed, next } = page;
  return {
    snapshot,
    items: changed,
    removed,
    since: { asOf: copied?.asOf ?? null, knownAt: copy.updatedSince },
    async addTo(totals) {
      if (next !== undefined || query.totals !== 'asked') return totals;
      // Over the whole filter, and not over what changed alone.
      const position = { ...snapshot, after: FIRST };
      const whole = await readBalances(caller, { ...question, limit: 1, position });
      return new Map(whole.totals?.map((total) => [total.currency, total]));
    },
    next: next && (() => changeBatch(request, resource, copy, { ...snapshot, after: next })),
  };
}

async function movementBatch(
  request: ExportRequest,
  position?: Parameters<ReadMovements>[1]['position'],
): Promise<Batch> {
  const { readMovements, caller, query } = request;
  const page = await readMovements(caller, { ...query, limit: batchSize(position), position });
  const { snapshot, movements, next } = page;
  return {
    snapshot,
    items: each(movements, presentMovement),
    addTo: async (totals) => totals,
    next: next && (() => movementBatch(request, { ...snapshot, after: next })),
  };
}

function batchSize(position: object | undefined): number {
  return position === undefined ? FIRST_BATCH : BATCH;
}

function* each<T, R>(values: Iterable<T>, make: (value: T) => R): Generator<R> {
  for (const value of values) yield make(value);
}

/**
 * Lines together, in pieces that the connection takes at once. The event loop turns after each, so
 * that what the database sends of the next batch is taken while this one is written.
 */
async function* pieces(...groups: readonly Iterable<string>[]): AsyncGenerator<string> {
  let piece = '';
  for (const lines of groups) {
    for (const line of lines) {
      piece += line;
      if (piece.length < PIECE_CHARS) continue;
      yield piece;
      piece = '';
      await setImmediate();
    }
  }
  if (piece !== '') yield piece;
}

/**
 * While Node writes a batch, the database reads the next one. A reader that takes nothing stops the walk,
 * one batch ahead.
 */
async function* batches(first: Batch): AsyncGenerator<Batch> {
  let batch: Batch | undefined = first;
  while (batch !== undefined) {
    const ahead: Promise<Batch> | undefined = batch.next?.();
    // A failure is thrown below. Where the client has gone, nobody awaits it.
    ahead?.catch(() => undefined);
    yield batch;
    batch = await ahead;
  }
}

/** RFC 4180 with a header row; text that a spreadsheet would run is made harmless. */
async function* csvLines(
  first: Batch,
  made: { items: number },
  shape: Shape,
  fields: readonly string[] | undefined,
): AsyncGenerator<string> {
  const header = tableColumns(shape, fields);
  const columns = header.filter((column) => column !== 'asOf');
  // A table has its date in a column.
  const date = (asOf: string) => (header.length > columns.length ? [asOf] : []);
  const cells = cellsOf(columns);
  yield csvLine(header);
  for await (const { items, removed = [], snapshot } of batches(first)) {
    const dated = date(snapshot.asOf);
    const row = (item: Presented) => csvLine([...dated, ...cells(item)]);
    const rows = each(items, (item) => {
      made.items += 1;
      return row(item);
    });
    yield* pieces(
      rows,
      each(removed, ({ object, id }) => row({ object, id })),
    );
  }
}

/** One item per line. The last line has their number, so that a cut file is noticed. */
async function* jsonLines(
  first: Batch,
  made: { items: number },
  level: Level,
  fields: readonly string[] | undefined,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const { snapshot, since } = first;
  let gone = 0;
  let totals: Totals = new Map();
  for await (const { items, removed = [], addTo } of batches(first)) {
    totals = await addTo(totals);
    const ofItems = each(items, (item) => {
      made.items += 1;
      return jsonLine(fields === undefined ? item : pickFields(item, fields));
    });
    for await (const piece of pieces(ofItems, each(removed, jsonLine))) {
      const lines = Buffer.from(piece);
      hash.update(lines);
      yield lines;
    }
    gone += removed.length;
  }
  const summary = {
    object: 'summary',
    count: made.items,
    asOf: snapshot.asOf,
    knownAt: snapshot.knownAt ?? null,
    ledgerSeq: Number(snapshot.ledgerSeq),
    ...(since === undefined ? {} : { removed: gone, since }),
    totals: [...totals.values()]
      .sort((a, b) => (a.currency < b.currency ? -1 : 1))
      .map((total) => presentTotal(total, level)),
    sha256: hash.digest('hex'),
  };
  yield Buffer.from(jsonLine(summary));
}

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
