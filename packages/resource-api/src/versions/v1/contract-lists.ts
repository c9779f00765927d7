import type { JsonSchema } from '../openapi.ts';
import {
  as,
  constant,
  flag,
  integer,
  listOf,
  matching,
  nullable,
  object,
  ref,
  sparse,
  text,
  VERSION_ID,
} from '../schema.ts';
import { SCHEMAS } from './contract-schemas.ts';

const date = ref('CalendarDate');
const dateOrNull = ref('CalendarDateOrNull');
const instant = ref('Instant');
const instantOrNull = ref('InstantOrNull');
const ALWAYS = ['object', 'id', 'currency'];

const META = {
  apiVersion: VERSION_ID,
  asOf: as(date, 'The date of the balances: the one asked for, or the last with data.'),
  knownAt: as(
    instantOrNull,
    'The newest change that the answer depends on; as `knownAt` it gets the same answer for ever.',
  ),
  ledgerSeq: integer('The newest journal that the answer knows.'),
  dataFrom: as(dateOrNull, 'The first date with data: the book begins on it.'),
  dataThrough: as(dateOrNull, 'The last date with data, up to `asOf`.'),
};
/** @param optional those of `more` that not every answer has. */
export function metaWith(
  more: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return as(object({ ...META, ...more }, optional), 'What the answer is an answer to.');
}
export const PERIOD = as(
  object({
    from: as(dateOrNull, 'Its first day; null: since inception.'),
    to: as(date, 'Its last day.'),
  }),
  'The days that are rolled forward.',
);
const SINCE = as(
  object({
    asOf: as(dateOrNull, 'Its `meta.asOf`; null: there was nothing yet.'),
    knownAt: as(instant, 'Its `meta.knownAt`.'),
  }),
  'With `updatedSince`: the earlier answer that this one was compared with.',
);

/** The times of a comparison. */
export const COMPARED = nullable(
  object({
    asOf: as(date, 'The date of the comparison.'),
    knownAt: as(instantOrNull, 'The newest change that what was then depends on.'),
    ledgerSeq: integer('The newest journal that was known.'),
    dataFrom: as(dateOrNull, 'The first date with data, as was known.'),
    dataThrough: as(dateOrNull, 'The last date with data, up to `asOf`.'),
  }),
  'With `compareAsOf` or `compareKnownAt`: the other time; null: there was no book yet.',
);
const COMPARED_LIST: Readonly<Record<string, JsonSchema>> = {
  comparedTotals: listOf(ref('Total'), 'Of what the same filters found at the other time.'),
  comparedReportingTotal: as(ref('ReportingTotal'), 'The same in the reporting currency.'),
};

export const PAGE = as(
  object({
    limit: integer('How many items a page may have.'),
    hasMore: flag('Whether there is another page, however many items this one has.'),
    nextCursor: nullable(text(), 'As `cursor` it gets the next page; null: there is none.'),
  }),
  'Where this page stands in the walk.',
);

const REMOVED = 'With `updatedSince`: what the question does not find any more.';

function list(
  items: JsonSchema,
  meta: JsonSchema,
  copies: boolean,
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return object(
    {
      object: constant('list'),
      data: listOf(items, 'The items of this page.'),
      ...(copies ? { removed: listOf(ref('RemovedItem'), REMOVED) } : {}),
      page: PAGE,
      meta,
      ...(copies
        ? {
            totals: listOf(ref('Total'), 'Over the whole filter, one for each currency.'),
            reportingTotal: as(ref('ReportingTotal'), 'The same in the reporting currency.'),
          }
        : {}),
      ...more,
    },
    ['removed', 'totals', 'reportingTotal', ...Object.keys(more)],
  );
}

/** The schema of an item in which only the members that `fields` never leaves out are required. */
function fieldsOf(name: string): JsonSchema {
  const schema = SCHEMAS[name];
  if (schema === undefined) throw new Error(`there is no schema ${name}`);
  return sparse(SCHEMAS, schema, ALWAYS);
}

const SUMMARY = { summary: 'ExportSummary' };
const ENDS = { removed: 'RemovedItem', ...SUMMARY };

/** One of several schemas: `object` says which. @param names by the value of `object`. */
function oneByKind(names: Readonly<Record<string, string>>): JsonSchema {
  const refs = Object.entries(names).map(([kind, name]) => [kind, `#/components/schemas/${name}`]);
  return {
    oneOf: Object.values(names).map(ref),
    discriminator: { propertyName: 'object', mapping: Object.fromEntries(refs) },
  };
}

/** Whole answers: pages, and the lines of an export. */
export const LIST_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  BalanceFields: fieldsOf('Balance'),
  PrincipalBalanceFields: fieldsOf('PrincipalBalance'),
  RemovedItem: object({
    object: constant('removed'),
    id: text('The id of the item: take it out of your copy.'),
  }),
  ExportSummary: object(
    {
      object: constant('summary'),
      count: integer('Items before this line.'),
      asOf: META.asOf,
      knownAt: META.knownAt,
      ledgerSeq: META.ledgerSeq,
      removed: integer('With `updatedSince`: how many items were removed.'),
      since: SINCE,
      totals: listOf(ref('Total'), 'Over everything, one for each currency.'),
      sha256: matching(
        '^[0-9a-f]{64}$',
        'Of the bytes of the lines before this one, in hexadecimal.',
      ),
    },
    ['removed', 'since'],
  ),
  BalanceList: list(
    ref('BalanceFields'),
    metaWith({ since: SINCE, compared: COMPARED }, ['since', 'compared']),
    true,
    COMPARED_LIST,
  ),
  PrincipalBalanceList: list(
    ref('PrincipalBalanceFields'),
    metaWith({ period: PERIOD, since: SINCE }, ['since']),
    true,
  ),
  PrincipalMovementList: list(ref('PrincipalMovement'), metaWith({}), false),
  BalanceLine: oneByKind({ balance: 'BalanceFields', ...ENDS }),
  PrincipalBalanceLine: oneByKind({ principalBalance: 'PrincipalBalanceFields', ...ENDS }),
  PrincipalMovementLine: oneByKind({ principalMovement: 'PrincipalMovement', ...SUMMARY }),
};
