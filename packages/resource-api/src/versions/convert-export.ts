import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { stillAsked } from '../access/asker.ts';
import { type Cell, csvLine } from '../csv/csv-line.ts';
import type { Exchange } from '../lifecycle/release.ts';
import type { PickFields, VersionRequest, VersionResponse, VersionRoute } from './api-version.ts';
import { type Conversion, convertLinks, goneDown, responseSchema } from './conversion.ts';
import { flattenCells, readCells } from './csv-items.ts';
import { isObject } from './project.ts';

const BATCH_CHARS = 65_536;

/** An export is converted while it streams: each item as the only one of a list. */
export function convertExport(
  conversion: Conversion,
  own: VersionRoute,
  request: VersionRequest,
  response: VersionResponse,
  body: Readable,
): VersionResponse {
  const query = new URLSearchParams(request.query);
  const down: Down = (one) => goneDown(conversion, query, { ...response, body: one });
  const { status, headers } = down({ object: 'list', data: [] });
  const isTable = response.headers['Content-Type']?.startsWith('text/csv') ?? false;
  const lines = isTable
    ? tableLines(conversion, own.columns?.(request) ?? [], down, body)
    : itemLines(conversion, own.pick?.(request), down, body);
  return {
    ...response,
    status,
    headers: convertLinks(conversion, headers),
    body: Readable.from(stillAsked(inBatches(lines)), { objectMode: false }),
  };
}

type Down = (body: Record<string, unknown>) => Exchange;

/** NDJSON: the last line has the hash of the lines before it, as they are sent. */
async function* itemLines(
  conversion: Conversion,
  pick: PickFields | undefined,
  down: Down,
  body: Readable,
): AsyncGenerator<string, void> {
  const schema = responseSchema(conversion, 200, 'application/x-ndjson');
  const hash = createHash('sha256');
  for await (const line of linesOf(body)) {
    const value: unknown = JSON.parse(line);
    if (!isObject(value)) throw new Error('a line of an export is a JSON object');
    const isSummary = value['object'] === 'summary';
    const converted = isSummary
      ? { ...down(value).body, sha256: hash.digest('hex') }
      : itemOf(down(listOf(value)));
    const kept = conversion.project(schema, converted);
    const isItem = !isSummary && value['object'] !== 'removed';
    const picked = pick !== undefined && isItem && isObject(kept) ? pick(kept) : kept;
    const text = `${JSON.stringify(picked)}\n`;
    if (!isSummary) hash.update(text);
    yield text;
  }
}

/** Few large pieces instead of one for each line. */
async function* inBatches(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let batch = '';
  for await (const line of lines) {
    batch += line;
    if (batch.length < BATCH_CHARS) continue;
    yield batch;
    batch = '';
  }
  if (batch !== '') yield batch;
}

async function* linesOf(body: Readable): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body as AsyncIterable<Buffer | string>) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function listOf(item: Record<string, unknown>): Record<string, unknown> {
  return item['object'] === 'removed'
    ? { object: 'list', data: [], removed: [item] }
    : { object: 'list', data: [item] };
}

function itemOf({ body }: Exchange): Record<string, unknown> {
  const [item] = [body['removed'] ?? [], body['data']].flat();
  if (!isObject(item)) throw new Error('a change must keep the items of a list');
  return item;
}

/** CSV: a row is an item whose members have dotted names. */
async function* tableLines(
  conversion: Conversion,
  columns: readonly string[],
  down: Down,
  body: Readable,
): AsyncGenerator<string, void> {
  const schema = responseSchema(conversion, 200, 'application/x-ndjson');
  let header: readonly string[] | undefined;
  yield csvLine(columns);
  // A failure of the export ends the parser, and so the table, without its end.
  const rows: AsyncIterable<readonly string[]> = pipeline(body, parse(), () => undefined);
  for await (const row of rows) {
    if (header === undefined) {
      header = row;
      continue;
    }
    const cells = new Map(header.map((name, index) => [name, row[index] ?? '']));
    const item = itemOf(down(listOf(readCells(cells))));
    const flat = flattenCells(conversion.project(schema, item));
    const cellOf = (column: string): Cell => flat.get(column) ?? null;
    yield csvLine(
      columns.map((name) => (name === 'asOf' ? (cells.get(name) ?? null) : cellOf(name))),
    );
  }
}
