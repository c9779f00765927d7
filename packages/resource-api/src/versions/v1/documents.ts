/** What is answered by one document: `{ "object": "item", "data": …, "meta": … }`. */
import { Refusal } from '@cls/shared/http/refusal';
import {
  FACETS,
  type Facet,
  type ItemName,
  type LedgerState,
  type Level,
} from '../../questions/ask/balance-store.ts';
import { answerNow, type CurrentLedger } from '../../questions/ask/current-ledger.ts';
import type { ReadCaller } from '../../questions/lists/read-caller.ts';
import { POINTS_MAX, type ReadSeries } from '../../questions/lists/read-series.ts';
import type { ReadDeal, ReadItem } from '../../questions/page/read-item.ts';
import type { ToldGroup } from '../../questions/totals/group-sums.ts';
import type { ReadFacets } from '../../questions/totals/read-facets.ts';
import type { ReadGroups } from '../../questions/totals/read-groups.ts';
import type { VersionRequest, VersionResponse, VersionRoute } from '../api-version.ts';
import { comparedMeta } from './compared.ts';
import { checkFields, pickFields } from './fields.ts';
import { jsonAnswer, mediaTypeOf } from './media-type.ts';
import { isCounted } from './parameters.ts';
import { V1_PERMISSIONS } from './permissions.ts';
import { presentItem, presentMeta } from './present.ts';
import {
  comparedSums,
  countryOf,
  presentCaller,
  presentDeal,
  presentGroup,
  presentPoint,
  presentSums,
} from './present-documents.ts';
import {
  type BalancesQuery,
  DOCUMENT_PATHS,
  type DocumentName,
  parseBalancesQuery,
} from './query.ts';

export interface DocumentDeps {
  readonly readItem: ReadItem;
  readonly readDeal: ReadDeal;
  readonly readCaller: ReadCaller;
  readonly readGroups: ReadGroups;
  readonly readSeries: ReadSeries;
  readonly readFacets: ReadFacets;
  readonly ledger: CurrentLedger;
}

/** None of these has an export. */
const JSON_ALONE = ['application/json'] as const;

export function documentRoutes(deps: DocumentDeps): VersionRoute[] {
  const route = (name: DocumentName): VersionRoute => ({
    path: DOCUMENT_PATHS[name],
    permissions: V1_PERMISSIONS,
    question(request) {
      mediaTypeOf(request, JSON_ALONE);
      return parse(name, request).canonical;
    },
    pick(request) {
      const { fields } = parse(name, request);
      return name === 'balance' && fields !== undefined
        ? (item) => pickFields(item, fields)
        : undefined;
    },
    async handle(request) {
      mediaTypeOf(request, JSON_ALONE);
      return answerNow(deps.ledger, async (ledger): Promise<VersionResponse> => {
        const query = { ...parse(name, request), ledger };
        const document = await ANSWERS[name](deps, request, query);
        const answer = jsonAnswer(200, document);
        // Nothing of the book.
        if (name === 'me') return answer;
        const items = [document.data].flat().length;
        return { ...answer, read: { question: query.canonical, items: () => items } };
      });
    },
  });
  return (Object.keys(DOCUMENT_PATHS) as DocumentName[]).map(route);
}

const ANSWERS: Readonly<
  Record<
    DocumentName,
    (
      deps: DocumentDeps,
      request: VersionRequest,
      query: BalancesQuery & { readonly ledger: LedgerState },
    ) => Promise<{ readonly data: object }>
  >
> = {
  async balance({ readItem }, request, query) {
    const { fields } = query;
    const name = itemNameOf(idOf(request));
    const found = name && (await readItem(request.caller, name, query));
    if (found === undefined) throw notFound('balance');
    const item = presentItem('balances', found.reading, found.page);
    return {
      object: 'item',
      data: fields === undefined ? item : pickFields(item, fields),
      meta: presentMeta(found.page.snapshot),
    };
  },
  async deal({ readDeal }, request, query) {
    const found = await readDeal(request.caller, idOf(request), query);
    if (found === undefined) throw notFound('deal');
    return { object: 'item', data: presentDeal(found), meta: presentMeta(found.snapshot) };
  },
  async totals({ readGroups }, { caller }, query) {
    const found = await readGroups(caller, query);
    const { snapshot, groups, rest, totals, comparison } = found;
    const compared = (group: ToldGroup) => comparedSums(group, comparison, query);
    return {
      object: 'list',
      data: groups.map((group) => ({ ...presentGroup(group, query), ...compared(group) })),
      rest: rest.map((group) => ({ ...presentSums(group, query), ...compared(group) })),
      totals: totals.map((total) => presentSums(total, query)),
      meta: {
        ...presentMeta(snapshot),
        ...(comparison && { compared: comparedMeta(comparison.snapshot) }),
      },
      ...(comparison && {
        comparedTotals: comparison.totals.map((total) => presentSums(total, query)),
      }),
    };
  },
  async series({ readSeries }, { caller }, query) {
    const { snapshot, from, points, nextFrom } = await readSeries(caller, query);
    return {
      object: 'list',
      data: points.map(presentPoint),
      page: { limit: POINTS_MAX, hasMore: nextFrom !== undefined, nextFromDate: nextFrom ?? null },
      meta: presentMeta(snapshot, { from }),
    };
  },
  async facets({ readFacets }, { caller }, query) {
    const { snapshot, facets } = await readFacets(caller, { ...query, fields: facetsOf(query) });
    return {
      object: 'list',
      data: facets.map(({ field, values, hasMore }) => ({
        object: 'facet',
        field,
        values: values.map(({ value, party, count }) => ({
          value,
          name: party?.name ?? null,
          ...countryOf(party),
          count,
        })),
        hasMore,
      })),
      meta: presentMeta(snapshot),
    };
  },
  async me({ readCaller }, { caller }, { ledger }) {
    const found = await readCaller(caller, ledger);
    return {
      object: 'item',
      data: presentCaller(caller, found),
      meta: presentMeta(found.snapshot),
    };
  },
};

/** @throws {Refusal} of what is wrong with the question, whether there is such an item or not. */
function parse(name: DocumentName, request: VersionRequest): BalancesQuery {
  if (name !== 'balance') return parseBalancesQuery(request.query, name);
  const query = parseBalancesQuery(request.query, name, {
    level: itemNameOf(idOf(request))?.level,
  });
  if (query.fields !== undefined) checkFields(query.fields, { ...query, resource: 'balances' });
  return query;
}

/** What the variable at the end of the path is. */
export function idOf({ path }: Pick<VersionRequest, 'path'>): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const LEVEL_OF: Readonly<Record<string, Level>> = {
  deal: 'deal',
  fac: 'facility',
  ctr: 'contract',
  pos: 'position',
};

/** Reads the `id` of an item, such as `bal_fac_…`; undefined where no item has such an id. */
function itemNameOf(id: string): ItemName | undefined {
  const [, record = '', prefix = '', currency] =
    /^bal_((deal|fac|ctr|pos)_[0-9A-Z]{26})(?:_([A-Z]{3}))?$/.exec(id) ?? [];
  const level = LEVEL_OF[prefix];
  if (level === undefined || (level === 'deal') !== (currency !== undefined)) return undefined;
  return { level, id: record, currency };
}

/** The same for what there is not and for what the caller does not see. */
export function notFound(what: string): Refusal {
  return new Refusal({
    status: 404,
    code: 'not_found',
    title: 'Not found',
    detail: `There is no such ${what}, or it was not granted to you.`,
  });
}

/** Those that were asked for, or all that items of the level have. */
function facetsOf({ fields, level }: BalancesQuery): readonly Facet[] {
  return FACETS.filter((field) => fields?.includes(field) ?? isCounted(field, level));
}
