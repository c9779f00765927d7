/** The use of the API by the caller's customer, as its administrators see it. */
import {
  type BusinessDate,
  businessDateOf,
  daysAfter,
  parseBusinessDate,
} from '../../ledger/business-date.ts';
import { cursorMismatch } from '../../questions/ask/cursor.ts';
import { keyOf, readCustomerUse } from '../../usage/customer-usage.ts';
import type { CustomerUsage } from '../../usage/version-usage.ts';
import type { VersionRequest, VersionResponse, VersionRoute } from '../api-version.ts';
import { jsonAnswer, mediaTypeOf } from './media-type.ts';
import { LIMIT_DEFAULT, USAGE_PARAMETERS } from './parameters.ts';
import { V1_USAGE_PERMISSIONS } from './permissions.ts';
import { QueryReader } from './query-reader.ts';

export interface UsageDeps {
  readonly counts: CustomerUsage;
  readonly now: () => Date;
}

export const USAGE_PATH = '/cls/usage';
/** How long a period is without `fromDate`, and how long it may be. */
export const USAGE_DAYS = 30;
export const USAGE_DAYS_MAX = 93;

export function usageRoute(deps: UsageDeps): VersionRoute {
  return {
    path: USAGE_PATH,
    permissions: V1_USAGE_PERMISSIONS,
    question(request) {
      parseUsageQuery(request.query, deps.now());
      return 'usage?';
    },
    handle(request) {
      mediaTypeOf(request, ['application/json']);
      return answerUsage(deps, request);
    },
  };
}

async function answerUsage(
  { counts, now }: UsageDeps,
  { caller, query }: VersionRequest,
): Promise<VersionResponse> {
  const { fromDate, toDate, limit, after } = parseUsageQuery(query, now());
  const found = await readCustomerUse(counts, caller.customer, fromDate, toDate);
  const rest = found.uses.filter((use) => after === undefined || keyOf(use) < after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    last === undefined || rest.length <= limit
      ? null
      : Buffer.from(JSON.stringify([fromDate, toDate, keyOf(last)])).toString('base64url');
  const { requests, versions, clients, operations } = found;
  const document = {
    object: 'list',
    data: page.map((use) => ({ object: 'versionUse', ...use })),
    totals: { requests, versions, clients, operations },
    page: { limit, hasMore: nextCursor !== null, nextCursor },
    meta: { period: { from: fromDate, to: toDate } },
  };
  const next = `/api/v1${USAGE_PATH}?limit=${limit}&cursor=${nextCursor}`;
  return jsonAnswer(200, document, nextCursor === null ? {} : { Link: `<${next}>; rel="next"` });
}

interface UsageQuery {
  readonly fromDate: BusinessDate;
  readonly toDate: BusinessDate;
  readonly limit: number;
  /** The use after which the page begins. */
  readonly after: string | undefined;
}

/** @throws {Refusal} with every fault at once */
function parseUsageQuery(text: string, now: Date): UsageQuery {
  const read = new QueryReader(text, USAGE_PARAMETERS);
  const limit = read.one('limit', Number) ?? LIMIT_DEFAULT;
  const walk = read.one('cursor', walkOf);
  const [from, to] = [
    read.one('fromDate', parseBusinessDate),
    read.one('toDate', parseBusinessDate),
  ];
  const toDate = walk?.toDate ?? to ?? businessDateOf(now);
  const fromDate = walk?.fromDate ?? from ?? daysAfter(toDate, 1 - USAGE_DAYS);
  if (fromDate > toDate) {
    const message = `expected a date up to the end of the period, ${toDate}`;
    read.fault('fromDate', 'invalid_range', message, fromDate);
  } else if (fromDate <= daysAfter(toDate, -USAGE_DAYS_MAX)) {
    const message = `expected a period of at most ${USAGE_DAYS_MAX} days, up to ${toDate}`;
    read.fault('fromDate', 'invalid_range', message, fromDate);
  }
  read.done();
  if (walk !== undefined && ((from ?? fromDate) !== fromDate || (to ?? toDate) !== toDate)) {
    throw cursorMismatch('the cursor continues another period; send it alone or with its own');
  }
  return { fromDate, toDate, limit, after: walk?.after };
}

/** What a cursor continues; undefined for a text that is none. */
function walkOf(
  cursor: string,
): (Pick<UsageQuery, 'fromDate' | 'toDate'> & { after: string }) | undefined {
  try {
    const [from, to, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const [fromDate, toDate] = [parseBusinessDate(`${from}`), parseBusinessDate(`${to}`)];
    if (fromDate === undefined || toDate === undefined || typeof after !== 'string')
      return undefined;
    return { fromDate, toDate, after };
  } catch {
    return undefined;
  }
}
