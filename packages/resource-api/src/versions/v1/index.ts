import type { LedgerState } from '../../questions/ask/balance-store.ts';
import { answerNow, type CurrentLedger } from '../../questions/ask/current-ledger.ts';
import {
  type CursorCodec,
  type CursorPosition,
  cursorMismatch,
} from '../../questions/ask/cursor.ts';
import type { CopyTimes, ResolvedSnapshot } from '../../questions/ask/snapshot.ts';
import type { ReadCaller } from '../../questions/lists/read-caller.ts';
import type { ReadChanges } from '../../questions/lists/read-changes.ts';
import type { ReadCompared } from '../../questions/lists/read-compared.ts';
import type { ReadMovements } from '../../questions/lists/read-movements.ts';
import type { ReadSeries } from '../../questions/lists/read-series.ts';
import {
  type BalancePage,
  type ReadBalances,
  readerName,
  walkOf,
} from '../../questions/page/read-balances.ts';
import type { ReadDeal, ReadItem } from '../../questions/page/read-item.ts';
import type { ReadFacets } from '../../questions/totals/read-facets.ts';
import type { ReadGroups } from '../../questions/totals/read-groups.ts';
import type { ApiVersion, VersionRequest, VersionResponse, VersionRoute } from '../api-version.ts';
import { etagOf } from '../etag.ts';
import { ANOTHER_QUESTION } from '../walk.ts';
import { changePage } from './changes.ts';
import { comparedMeta, comparedTotals, comparisonOf, withCompared } from './compared.ts';
import { v1Contract } from './contract.ts';
import { documentRoutes } from './documents.ts';
import { exportList } from './export.ts';
import { checkFields, pickFields, tableColumns } from './fields.ts';
import { exportFormatOf, type MediaType } from './media-type.ts';
import { V1_PERMISSIONS } from './permissions.ts';
import { type BalanceResource, presentItem, presentMeta, presentTotal } from './present.ts';
import { presentMovement } from './present-movement.ts';
import { presentReportingTotal } from './present-reporting.ts';
import {
  type BalancesQuery,
  PATHS,
  parseBalancesQuery,
  type Resource,
  splitCanonical,
} from './query.ts';

export interface V1Deps {
  readonly readBalances: ReadBalances;
  readonly readChanges: ReadChanges;
  readonly readCompared: ReadCompared;
  readonly readMovements: ReadMovements;
  readonly readItem: ReadItem;
  readonly readDeal: ReadDeal;
  readonly readCaller: ReadCaller;
  readonly readGroups: ReadGroups;
  readonly readSeries: ReadSeries;
  readonly readFacets: ReadFacets;
  readonly ledger: CurrentLedger;
  readonly cursors: CursorCodec;
}

/** Version 1 of the API. */
export function v1(deps: V1Deps): ApiVersion {
  const answered = answerNow(deps.ledger);
  const route = (resource: Resource): VersionRoute => ({
    path: PATHS[resource],
    permissions: V1_PERMISSIONS,
    check(request) {
      checkQuery(resource, request);
    },
    question: (request) => checkQuery(resource, request).canonical,
    columns(request) {
      const query = checkQuery(resource, request);
      return tableColumns({ ...query, resource }, query.fields);
    },
    isExport: (request) => exportFormatOf(request) !== 'application/json',
    pick(request) {
      const { fields } = checkQuery(resource, request);
      return fields && ((item) => pickFields(item, fields));
    },
    async handle(request) {
      const type = exportFormatOf(request);
      if (type !== 'application/json') return exported(deps, resource, type, request);
      return resource === 'movements'
        ? answered((state) => movementsAnswer(deps, request, state))
        : answered((state) => balancesAnswer(deps, resource, request, state));
    },
  });
  return {
    id: 'v1',
    contract: v1Contract(),
    routes: [...(Object.keys(PATHS) as Resource[]).map(route), ...documentRoutes(deps, answered)],
  };
}

/** @throws {Refusal} of what is wrong with the request whatever the book holds. */
function checkQuery(resource: Resource, request: VersionRequest): BalancesQuery {
  const whole = exportFormatOf(request) !== 'application/json';
  const query = parseBalancesQuery(request.query, resource, { whole });
  if (query.cursor === undefined && query.fields !== undefined) {
    checkFields(query.fields, { ...query, resource });
  }
  return query;
}

async function balancesAnswer(
  deps: V1Deps,
  resource: 'balances' | 'principal',
  request: VersionRequest,
  ledger: LedgerState,
) {
  const { query, limit, position } = toWalk(deps, resource, request);
  const { fields } = query;
  if (fields !== undefined) checkFields(fields, { ...query, resource });
  if (query.copy !== undefined) {
    return changesAnswer(deps, resource, request, { query, limit, position }, query.copy);
  }
  const question = { ...query, limit, position, ledger };
  const page = await deps.readBalances(request.caller, question);
  const { nextCursor, snapshot, filter } = page;
  const found = page.readings.map(({ item }) => item);
  const { compare } = query;
  const asked = compare && { compare, question, filter, snapshot, items: found };
  const comparison =
    asked && comparisonOf(resource, await deps.readCompared(request.caller, asked));
  const items = page.readings.map((reading) =>
    withCompared(presentItem(resource, reading, page), comparison),
  );
  return jsonAnswer(resource, { ...query, limit }, nextCursor, {
    object: 'list',
    data: fields === undefined ? items : items.map((item) => pickFields(item, fields)),
    page: { limit, hasMore: nextCursor !== undefined, nextCursor: nextCursor ?? null },
    meta: {
      ...metaOf(resource, snapshot, query),
      ...(comparison && { compared: comparedMeta(comparison.page?.page.snapshot) }),
    },
    ...totalsOf(page),
    ...(comparison && comparedTotals(comparison, query.totals)),
  });
}

function metaOf(resource: Resource, snapshot: ResolvedSnapshot, { fromDate }: BalancesQuery) {
  return presentMeta(snapshot, resource === 'principal' ? { from: fromDate } : undefined);
}

function totalsOf({ totals, rates, question: { level, reporting } }: BalancePage) {
  if (totals === undefined) return {};
  return {
    totals: totals.map((total) => presentTotal(total, level)),
    ...(rates === undefined || reporting === undefined
      ? {}
      : { reportingTotal: presentReportingTotal(totals, reporting.currency, rates) }),
  };
}

/** What differs from an answer that the caller keeps a copy of. */
async function changesAnswer(
  deps: V1Deps,
  resource: BalanceResource,
  { caller }: VersionRequest,
  { query, limit, position }: Question,
  copy: CopyTimes,
) {
  const question = { ...query, limit, position: undefined, copy };
  const page = await changePage(deps.readChanges, caller, resource, question, position);
  const { snapshot, copied, removed, next } = page;
  const { compare } = query;
  const { items } = page;
  const asked = compare && { compare, question, snapshot, filter: query.filter, items };
  const comparison = asked && comparisonOf(resource, await deps.readCompared(caller, asked));
  const changed = page.changed.map((item) => {
    const compared = withCompared(item, comparison);
    return comparison === undefined || query.fields === undefined
      ? compared
      : pickFields(compared, query.fields);
  });
  const nextCursor =
    next &&
    deps.cursors.encode({
      question: query.canonical,
      reader: readerName(caller),
      ...walkOf(snapshot),
      after: next,
    });
  const totals =
    query.totals === 'asked'
      ? await deps.readBalances(caller, {
          ...question,
          limit: 1,
          position: { ...walkOf(snapshot), after: { key: 0n, sortValue: null } },
        })
      : undefined;
  return jsonAnswer(resource, { ...query, limit }, nextCursor, {
    object: 'list',
    data: changed,
    removed,
    page: { limit, hasMore: nextCursor !== undefined, nextCursor: nextCursor ?? null },
    meta: {
      ...metaOf(resource, snapshot, query),
      since: { asOf: copied?.asOf ?? null, knownAt: copy.updatedSince },
      ...(comparison && { compared: comparedMeta(comparison.page?.page.snapshot) }),
    },
    ...(totals === undefined ? {} : totalsOf(totals)),
    ...(comparison && comparedTotals(comparison, query.totals)),
  });
}

async function movementsAnswer(deps: V1Deps, request: VersionRequest, ledger: LedgerState) {
  const { query, limit, position } = toWalk(deps, 'movements', request);
  const page = await deps.readMovements(request.caller, { ...query, limit, position, ledger });
  const { nextCursor } = page;
  return jsonAnswer('movements', { ...query, limit }, nextCursor, {
    object: 'list',
    data: page.movements.map(presentMovement),
    page: { limit, hasMore: nextCursor !== undefined, nextCursor: nextCursor ?? null },
    meta: metaOf('movements', page.snapshot, query),
  });
}

function jsonAnswer(
  resource: Resource,
  { limit, canonical }: Pick<BalancesQuery, 'limit' | 'canonical'>,
  nextCursor: string | undefined,
  document: object & { readonly object: 'list'; readonly data: readonly object[] } & Record<
      string,
      unknown
    >,
) {
  const body = Buffer.from(JSON.stringify(document));
  const items = document.data.length;
  const next = `/api/v1${PATHS[resource]}?limit=${limit}&cursor=${nextCursor}`;
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(nextCursor === undefined ? {} : { Link: `<${next}>; rel="next"` }),
    },
    body,
    etag: etagOf(body),
    read: { question: canonical, items: () => items },
  };
}

function exported(
  deps: V1Deps,
  resource: Resource,
  type: Exclude<MediaType, 'application/json'>,
  { caller, query: text }: VersionRequest,
): Promise<VersionResponse> {
  const query = parseBalancesQuery(text, resource, { whole: true });
  return exportList({ ...deps, resource, type, caller, query });
}

interface Question {
  readonly query: BalancesQuery;
  readonly limit: number;
  readonly position: CursorPosition | undefined;
}

/** The question: from the parameters, or from the walk that a cursor continues. */
function toWalk(
  { cursors }: V1Deps,
  resource: Resource,
  { caller, query: text, walk }: VersionRequest,
): Question {
  const query = parseBalancesQuery(text, resource);
  const { limit, cursor, canonical } = query;
  if (cursor === undefined) {
    return { query: { ...query, canonical: walk.mark(canonical) }, limit, position: undefined };
  }
  const position = cursors.decode(cursor, readerName(caller));
  const begun = splitCanonical(walk.read(position.question));
  if (begun.resource !== resource) throw cursorMismatch(ANOTHER_QUESTION);
  const asked = parseBalancesQuery(begun.text, resource);
  if (query.narrows && canonical !== asked.canonical) throw cursorMismatch(ANOTHER_QUESTION);
  const walked = { ...asked, canonical: walk.mark(asked.canonical) };
  // With much in each item a page is smaller, whatever is asked for on the way.
  const heavy = walked.expand.has('contracts') || walked.expand.has('movements');
  return { query: walked, limit: heavy ? Math.min(limit, walked.limit) : limit, position };
}
