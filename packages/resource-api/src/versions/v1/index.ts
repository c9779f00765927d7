import type { Caller } from '@cls/shared/access/caller';
import { FIRST, type LedgerState } from '../../questions/ask/balance-store.ts';
import { answerNow } from '../../questions/ask/current-ledger.ts';
import {
  type CursorCodec,
  type CursorPosition,
  cursorMismatch,
} from '../../questions/ask/cursor.ts';
import type { CopyTimes, ResolvedSnapshot } from '../../questions/ask/snapshot.ts';
import type { ReadChanges } from '../../questions/lists/read-changes.ts';
import type { ReadCompared } from '../../questions/lists/read-compared.ts';
import type { ReadMovements } from '../../questions/lists/read-movements.ts';
import {
  accessOf,
  cursorAfter,
  type ReadBalances,
  readerName,
} from '../../questions/page/read-balances.ts';
import type { ApiVersion, VersionRequest, VersionRoute } from '../api-version.ts';
import { ANOTHER_QUESTION } from '../walk.ts';
import { changePage, type RemovedItem } from './changes.ts';
import {
  type Comparison,
  comparedMeta,
  comparedTotals,
  comparisonOf,
  withCompared,
} from './compared.ts';
import { v1Contract } from './contract.ts';
import { type DocumentDeps, documentRoutes } from './documents.ts';
import { exportList } from './export.ts';
import { checkFields, pickFields, tableColumns } from './fields.ts';
import { type ImportDeps, importRoutes } from './import-routes.ts';
import { jsonAnswer, mediaTypeOf } from './media-type.ts';
import { V1_PERMISSIONS } from './permissions.ts';
import {
  type BalanceResource,
  type PresentedTotals,
  presentItem,
  presentMeta,
  presentTotals,
} from './present.ts';
import { presentMovement } from './present-movement.ts';
import type { Presented } from './presented.ts';
import { type BalancesQuery, isHeavy, PATHS, parseBalancesQuery, type Resource } from './query.ts';
import { type UsageDeps, usageRoute } from './usage.ts';

export interface V1Deps extends DocumentDeps {
  readonly readBalances: ReadBalances;
  readonly readChanges: ReadChanges;
  readonly readCompared: ReadCompared;
  readonly readMovements: ReadMovements;
  readonly cursors: CursorCodec;
  readonly imports: ImportDeps;
  readonly usage: UsageDeps;
}

/** Version 1 of the API. */
export function v1(deps: V1Deps): ApiVersion {
  const route = (resource: Resource): VersionRoute => ({
    path: PATHS[resource],
    permissions: V1_PERMISSIONS,
    question: (request) => checkQuery(resource, request).canonical,
    columns(request) {
      const query = checkQuery(resource, request);
      return tableColumns({ ...query, resource }, query.fields);
    },
    isExport: (request) => mediaTypeOf(request) !== 'application/json',
    pick(request) {
      const { fields } = checkQuery(resource, request);
      return fields && ((item) => pickFields(item, fields));
    },
    async handle(request) {
      const type = mediaTypeOf(request);
      if (type !== 'application/json') {
        const query = parseBalancesQuery(request.query, resource, { whole: true });
        return exportList({ ...deps, resource, type, caller: request.caller, query });
      }
      return answerNow(deps.ledger, (state) =>
        resource === 'movements'
          ? movementsAnswer(deps, request, state)
          : balancesAnswer(deps, resource, request, state),
      );
    },
  });
  return {
    id: 'v1',
    contract: v1Contract(),
    routes: [
      ...(Object.keys(PATHS) as Resource[]).map(route),
      ...documentRoutes(deps),
      ...importRoutes(deps.imports),
      usageRoute(deps.usage),
    ],
  };
}

/** @throws {Refusal} of what is wrong with the request whatever the book holds. */
function checkQuery(resource: Resource, request: VersionRequest): BalancesQuery {
  const whole = mediaTypeOf(request) !== 'application/json';
  const query = parseBalancesQuery(request.query, resource, { whole });
  if (query.cursor === undefined && query.fields !== undefined) {
    checkFields(query.fields, { ...query, resource });
  }
  return query;
}

async function balancesAnswer(
  deps: V1Deps,
  resource: BalanceResource,
  request: VersionRequest,
  ledger: LedgerState,
) {
  const query = toWalk(deps, resource, request);
  const { caller } = request;
  const { fields, copy, compare } = query;
  if (fields !== undefined) checkFields(fields, { ...query, resource });
  if (copy !== undefined) return changesAnswer(deps, resource, caller, { ...query, copy, ledger });
  const question = { ...query, ledger };
  const page = await deps.readBalances(caller, question);
  const { filter, snapshot } = page;
  const compared = compare && {
    ...{ compare, question, filter, snapshot },
    items: page.readings.map(({ item }) => item),
  };
  return listAnswer(resource, query, {
    ...page,
    data: page.readings.map((reading) => presentItem(resource, reading, page)),
    totals: page.totals && presentTotals(page.totals, page),
    comparison: compared && (await comparisonOf(deps.readCompared, caller, resource, compared)),
  });
}

/** What differs from an answer that the caller keeps a copy of. */
async function changesAnswer(
  { readBalances, readChanges, readCompared, cursors }: V1Deps,
  resource: BalanceResource,
  caller: Caller,
  query: Walked & { readonly copy: CopyTimes; readonly ledger: LedgerState },
) {
  const { compare, copy, filter } = query;
  const question = { ...query, position: undefined };
  const page = await changePage(readChanges, caller, resource, question, query.position);
  const { snapshot, copied, changed, items, removed, next } = page;
  const compared = compare && { compare, question, filter, snapshot, items };
  const comparison = compared && (await comparisonOf(readCompared, caller, resource, compared));
  const whole =
    query.totals === 'asked'
      ? await readBalances(caller, {
          ...question,
          limit: 1,
          position: { ...snapshot, after: FIRST },
        })
      : undefined;
  return listAnswer(resource, query, {
    snapshot,
    data: changed,
    removed,
    since: { asOf: copied?.asOf ?? null, knownAt: copy.updatedSince },
    nextCursor: cursorAfter(cursors, accessOf(caller), query.canonical, snapshot, next),
    totals: whole?.totals && presentTotals(whole.totals, whole),
    comparison,
  });
}

async function movementsAnswer(deps: V1Deps, request: VersionRequest, ledger: LedgerState) {
  const query = toWalk(deps, 'movements', request);
  const page = await deps.readMovements(request.caller, { ...query, ledger });
  return listAnswer('movements', query, { ...page, data: page.movements.map(presentMovement) });
}

interface ListPage {
  readonly snapshot: ResolvedSnapshot;
  /** Whole items: the fields that were asked for are picked from them. */
  readonly data: readonly Presented[];
  readonly nextCursor: string | undefined;
  readonly totals?: PresentedTotals | undefined;
  readonly comparison?: Comparison | undefined;
  /** Where changes are asked for: what is gone, and since when. */
  readonly removed?: readonly RemovedItem[];
  readonly since?: Presented;
}

/** A page as a document, whose members that are undefined JSON leaves out. */
function listAnswer(
  resource: Resource,
  { limit, canonical, fields, fromDate, totals: wish }: BalancesQuery,
  { snapshot, data, nextCursor, totals, comparison, removed, since }: ListPage,
) {
  const items =
    comparison === undefined ? data : data.map((item) => withCompared(item, comparison));
  const document = {
    object: 'list',
    data: fields === undefined ? items : items.map((item) => pickFields(item, fields)),
    removed,
    page: { limit, hasMore: nextCursor !== undefined, nextCursor: nextCursor ?? null },
    meta: {
      ...presentMeta(snapshot, resource === 'principal' ? { from: fromDate } : undefined),
      since,
      compared: comparison && comparedMeta(comparison.page?.page.snapshot),
    },
    ...totals,
    ...(comparison && comparedTotals(comparison.page, wish)),
  };
  const next = `/api/v1${PATHS[resource]}?limit=${limit}&cursor=${nextCursor}`;
  const headers = nextCursor === undefined ? {} : { Link: `<${next}>; rel="next"` };
  const read = { question: canonical, items: () => data.length };
  return { ...jsonAnswer(200, document, headers), read };
}

interface Walked extends BalancesQuery {
  readonly position: CursorPosition | undefined;
}

/** The question: from the parameters, or from the walk that a cursor continues. */
function toWalk(
  { cursors }: V1Deps,
  resource: Resource,
  { caller, query: text, walk }: VersionRequest,
): Walked {
  const query = parseBalancesQuery(text, resource);
  const { limit, cursor, canonical } = query;
  if (cursor === undefined) {
    return { ...query, canonical: walk.mark(canonical), position: undefined };
  }
  const position = cursors.decode(cursor, readerName(accessOf(caller)));
  const question = walk.read(position.question);
  const nothing = `${resource}?`;
  if (!question.startsWith(nothing)) throw cursorMismatch(ANOTHER_QUESTION);
  const asked = parseBalancesQuery(question.slice(nothing.length), resource);
  if (![nothing, asked.canonical].includes(canonical)) throw cursorMismatch(ANOTHER_QUESTION);
  return {
    ...asked,
    canonical: walk.mark(asked.canonical),
    // With much in each item a page is smaller, whatever is asked for on the way.
    limit: isHeavy(asked.expand) ? Math.min(limit, asked.limit) : limit,
    position,
  };
}
