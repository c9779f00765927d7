import { createHash } from 'node:crypto';
import { answerCache } from '../../balances/answer-cache.ts';
import type { CurrentLedger } from '../../balances/current-ledger.ts';
import { type CursorCodec, type CursorPosition, cursorMismatch } from '../../balances/cursor.ts';
import { type ReadBalances, readerName } from '../../balances/read-balances.ts';
import type { ReadMovements } from '../../balances/read-movements.ts';
import type { ApiVersion, VersionRequest, VersionResponse, VersionRoute } from '../api-version.ts';
import { exportList } from './export.ts';
import { checkFields, pickFields } from './fields.ts';
import { exportFormatOf, type MediaType } from './media-type.ts';
import { presentItem, presentMeta, presentTotal } from './present.ts';
import { presentMovement } from './present-movement.ts';
import { presentReportingTotal } from './present-reporting.ts';
import { type BalancesQuery, parseBalancesQuery, type Resource, splitCanonical } from './query.ts';

export interface V1Parts {
  readonly readBalances: ReadBalances;
  readonly readMovements: ReadMovements;
  readonly ledger: CurrentLedger;
  readonly cursors: CursorCodec;
}

const PATHS: Readonly<Record<Resource, string>> = {
  balances: '/cls/balances',
  principal: '/cls/balances/principal',
  movements: '/cls/balances/principal/movements',
};

/** Version 1 of the API. */
export function v1(parts: V1Parts): ApiVersion {
  const cached = answerCache<VersionResponse & { body: Buffer }>(parts.ledger);
  const route = (resource: Resource): VersionRoute => ({
    path: PATHS[resource],
    permissions: ['cls-deal.view', 'external-api.fullcontrol'],
    async handle(request) {
      const type = exportFormatOf(request);
      if (type !== 'application/json') return exported(parts, resource, type, request);
      return cached(`${readerName(request.caller)} ${resource} ${request.query}`, () =>
        resource === 'movements'
          ? movementsAnswer(parts, request)
          : balancesAnswer(parts, resource, request),
      );
    },
  });
  return {
    id: 'v1',
    support: 'Supported',
    retiresAt: undefined,
    routes: (Object.keys(PATHS) as Resource[]).map(route),
  };
}

async function balancesAnswer(
  parts: V1Parts,
  resource: 'balances' | 'principal',
  request: VersionRequest,
) {
  const { query, limit, position } = toWalk(parts, resource, request);
  const { fields, level } = query;
  if (fields !== undefined) checkFields(fields, { ...query, resource });
  const page = await parts.readBalances(request.caller, { ...query, limit, position });
  const { nextCursor } = page;
  const items = page.readings.map((reading) => presentItem(resource, reading, page));
  return jsonAnswer(PATHS[resource], limit, nextCursor, {
    object: 'list',
    data: fields === undefined ? items : items.map((item) => pickFields(item, fields)),
    page: { limit, hasMore: nextCursor !== undefined, nextCursor: nextCursor ?? null },
    meta: presentMeta(page),
    ...(page.totals === undefined
      ? {}
      : { totals: page.totals.map((total) => presentTotal(total, level)) }),
    ...(page.totals === undefined || page.rates === undefined || query.reporting === undefined
      ? {}
      : {
          reportingTotal: presentReportingTotal(page.totals, query.reporting.currency, page.rates),
        }),
  });
}

async function movementsAnswer(parts: V1Parts, request: VersionRequest) {
  const { query, limit, position } = toWalk(parts, 'movements', request);
  const page = await parts.readMovements(request.caller, { ...query, limit, position });
  const { nextCursor } = page;
  return jsonAnswer(PATHS.movements, limit, nextCursor, {
    object: 'list',
    data: page.movements.map(presentMovement),
    page: { limit, hasMore: nextCursor !== undefined, nextCursor: nextCursor ?? null },
    meta: presentMeta(page),
  });
}

function jsonAnswer(path: string, limit: number, nextCursor: string | undefined, document: object) {
  // Bytes, not text: an answer that is kept is encoded once.
  const body = Buffer.from(JSON.stringify(document));
  const next = `/api/v1${path}?limit=${limit}&cursor=${nextCursor}`;
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(nextCursor === undefined ? {} : { Link: `<${next}>; rel="next"` }),
    },
    body,
    etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
  };
}

function exported(
  parts: V1Parts,
  resource: Resource,
  type: Exclude<MediaType, 'application/json'>,
  { caller, query: text }: VersionRequest,
): Promise<VersionResponse> {
  const query = parseBalancesQuery(text, resource, { whole: true });
  return exportList({ ...parts, resource, type, caller, query });
}

interface Walk {
  readonly query: BalancesQuery;
  readonly limit: number;
  readonly position: CursorPosition | undefined;
}

/** What is asked: by the parameters, or by the walk that a cursor goes on with. */
function toWalk(
  { cursors }: V1Parts,
  resource: Resource,
  { caller, query: text }: VersionRequest,
): Walk {
  const query = parseBalancesQuery(text, resource);
  const { limit, cursor, canonical } = query;
  if (cursor === undefined) return { query, limit, position: undefined };
  const position = cursors.decode(cursor, readerName(caller));
  const walk = splitCanonical(position.question);
  if (walk.resource !== resource || (query.narrows && canonical !== position.question)) {
    throw cursorMismatch('the cursor is of another question; send it alone or with the same');
  }
  const walked = parseBalancesQuery(walk.text, resource);
  // With much in each item a page is smaller, whatever is asked for on the way.
  const heavy = walked.expand.has('contracts') || walked.expand.has('movements');
  return { query: walked, limit: heavy ? Math.min(limit, walked.limit) : limit, position };
}
