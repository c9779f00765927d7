import type { JsonSchema } from '../openapi.ts';
import {
  constant,
  integer,
  listOf,
  nullable,
  object,
  ref,
  sparse,
  text,
  VERSION_ID,
} from '../schema.ts';
import { SCHEMAS } from './contract-schemas.ts';

const date = ref('Date');
const instant = ref('Instant');
const ALWAYS = ['object', 'id', 'currency'];

export const META = {
  apiVersion: VERSION_ID,
  asOf: date,
  knownAt: nullable(instant),
  ledgerSeq: integer('The newest journal that the answer knows.'),
  dataThrough: nullable(date, 'The last date with data.'),
};
const PERIOD = object({ from: nullable(date, 'Null: since inception.'), to: date });
const SINCE = object({ asOf: nullable(date), knownAt: instant });

const page = object({
  limit: integer(),
  hasMore: { type: 'boolean' },
  nextCursor: nullable(text()),
});

function list(items: JsonSchema, meta: JsonSchema, copies: boolean): JsonSchema {
  return object(
    {
      object: constant('list'),
      data: listOf(items),
      ...(copies ? { removed: listOf(ref('RemovedItem'), 'With updatedSince.') } : {}),
      page,
      meta,
      ...(copies ? { totals: listOf(ref('Total')), reportingTotal: ref('ReportingTotal') } : {}),
    },
    ['removed', 'totals', 'reportingTotal'],
  );
}

/** A whole item, or one with the `fields` that were asked for. */
export function itemOf(name: string): JsonSchema {
  return { anyOf: [ref(name), ref(`${name}Fields`)] };
}

/** An item with the `fields` that were asked for. */
function fieldsOf(name: string): JsonSchema {
  const schema = SCHEMAS[name];
  if (schema === undefined) throw new Error(`there is no schema ${name}`);
  return sparse(SCHEMAS, schema, ALWAYS);
}

const LINE_ENDS = [ref('RemovedItem'), ref('ExportSummary')];

/** Whole answers: pages, and the lines of an export. */
export const LIST_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  BalanceFields: fieldsOf('Balance'),
  PrincipalBalanceFields: fieldsOf('PrincipalBalance'),
  RemovedItem: object({ object: constant('removed'), id: text() }),
  ExportSummary: object(
    {
      object: constant('summary'),
      count: integer('Items before this line.'),
      asOf: date,
      knownAt: nullable(instant),
      ledgerSeq: integer(),
      removed: integer(),
      since: SINCE,
      totals: listOf(ref('Total')),
      sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the lines before it.' },
    },
    ['removed', 'since'],
  ),
  BalanceList: list(itemOf('Balance'), object({ ...META, since: SINCE }, ['since']), true),
  PrincipalBalanceList: list(
    itemOf('PrincipalBalance'),
    object({ ...META, period: PERIOD, since: SINCE }, ['since']),
    true,
  ),
  PrincipalMovementList: list(ref('PrincipalMovement'), object(META), false),
  BalanceLine: { anyOf: [ref('Balance'), ref('BalanceFields'), ...LINE_ENDS] },
  PrincipalBalanceLine: {
    anyOf: [ref('PrincipalBalance'), ref('PrincipalBalanceFields'), ...LINE_ENDS],
  },
  PrincipalMovementLine: { anyOf: [ref('PrincipalMovement'), ref('ExportSummary')] },
};
