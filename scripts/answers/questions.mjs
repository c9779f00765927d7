// Seeded random questions to resource-api: operations, parameters and their shapes come from the contract,
// so that a new filter is asked too, and values from the book.
import { minorUnitDigits } from '../../packages/resource-api/dist/src/ledger/currency.js';
import { v1Contract } from '../../packages/resource-api/dist/src/versions/v1/contract.js';
import { CUSTOMERS } from './books.mjs';

const JSON_TYPE = 'application/json';
/** How likely a parameter is. What few operations take is `RARE`; of the others a question has a few. */
const OFTEN = { asOf: 0.6, limit: 0.85, level: 0.5, sort: 0.3, knownAt: 0.25, includeZero: 0.25 };
const RARE = 0.12;
const FEW_OPERATIONS = 3;
const HOW_MANY_OTHERS = [0, 0, 1, 1, 1, 2, 2, 3, 5];
/** What a parameter is refused without, or hardly ever makes sense without. */
const NEEDS = {
  minOutstanding: ['currency'],
  maxOutstanding: ['currency'],
  fxDate: ['reportingCurrency'],
  sinceAsOf: ['updatedSince'],
  updatedSince: ['sinceAsOf'],
  contractId: ['level'],
};
/** One of them keeps most exports small. */
const NARROW = ['dealId', 'borrowerId', 'facilityId', 'country'];
const RUBBISH = `| |x|0|-1|1e3|true,false|2025-02-30|deal_0|ext:X:1|%00|${'ä'.repeat(200)}`.split(
  '|',
);
const EDGE_DAYS = ['0001-01-01', '1900-01-01', '2100-01-01', '9999-12-31'];
const EDGE_INSTANTS = ['1999-12-31T23:59:59Z', '2100-01-01T00:00:00+02:00', '2024-02-30T00:00:00Z'];
const ITEMS_OF = {
  '/cls/deals/{id}': ({ dealId }) => [dealId],
  '/cls/balances/{id}': ({ dealId, facilityId, contractId, positionId, currency }) =>
    [`${dealId}_${currency}`, facilityId, contractId, positionId]
      .filter((id) => id !== null)
      .map((id) => `bal_${id}`),
};
const ROWS = `
  SELECT d.id AS "dealId", f.id AS "facilityId", c.id AS "contractId", p.id AS "positionId",
    b.id AS "borrowerId", l.id AS "lenderId", f.currency, d.country, f.type AS "facilityType",
    concat_ws(' ', d.name, b.name, f.name, x.value) AS names,
    coalesce(c.maturity_date, f.maturity_date, '2030-01-01')::text AS maturity,
    (SELECT sum(n.principal_cash) FROM balance_line o CROSS JOIN LATERAL (
       SELECT principal_cash FROM balance WHERE line_key = o.key
       ORDER BY effective_date DESC, known_seq DESC LIMIT 1) n
     WHERE o.facility_key = f.key AND o.lender_key = 0)::float8 AS outstanding,
    ARRAY(SELECT customer_id FROM entitlement WHERE deal_key = d.key) AS customers
  FROM facility f JOIN deal d ON d.key = f.deal_key JOIN party b ON b.key = d.borrower_key
    LEFT JOIN loan_contract c ON c.facility_key = f.key
    LEFT JOIN lender_position p ON p.facility_key = f.key LEFT JOIN party l ON l.key = p.lender_key
    LEFT JOIN external_id x ON x.entity_id = d.id
  ORDER BY f.key, c.key, p.key`;
const DAYS =
  'SELECT DISTINCT effective_date::text AS v FROM journal WHERE effective_date <= now() ORDER BY v';
const INSTANTS = `
  SELECT DISTINCT to_char(i.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS v
  FROM (SELECT posted_at AS at FROM journal UNION SELECT known_at FROM fx_rate) j
    CROSS JOIN LATERAL (VALUES (j.at), (j.at - interval '1 microsecond')) i (at) ORDER BY v`;

/** What questions take their values from. */
export async function valuesOf(database) {
  const column = async (sql) => (await database.query(sql)).map(({ v }) => v);
  const rows = await database.query(ROWS);
  const names = await database.query('SELECT * FROM external_id ORDER BY source, value');
  const seenBy = (name) => rows.filter(({ customers }) => customers.includes(name));
  return {
    rows,
    rowsOf: Object.fromEntries(CUSTOMERS.map((name) => [name, seenBy(name)])),
    externalNames: new Map(names.map((one) => [one.entity_id, `ext:${one.source}:${one.value}`])),
    days: await column(DAYS),
    instants: await column(INSTANTS),
  };
}

/** The books have no imports: there is no id to ask for. */
const isOfBook = ([path]) => !path.includes('{id}') || path in ITEMS_OF;
const OPERATIONS = Object.entries(v1Contract().paths)
  .filter(isOfBook)
  .map(([path, { get }]) => {
    const { content } = get.responses[200];
    const columns = Object.values(content['text/csv']?.['x-columns'] ?? {}).flat();
    const parameters = get.parameters.filter((one) => one.in === 'query' && one.name !== 'cursor');
    return { id: get.operationId, path, parameters, types: Object.keys(content), columns };
  });
const TAKEN = OPERATIONS.flatMap(({ parameters }) => parameters.map(({ name }) => name));
/** Each as often as it has parameters. */
const BY_WEIGHT = OPERATIONS.flatMap((one) => Array(4 + one.parameters.length).fill(one));
const ALL_COLUMNS = OPERATIONS.flatMap(({ columns }) => columns);

/** Each question is yielded for its answer: pages are followed, and what was refused is left out. */
export function* questions(random, values) {
  const asked = [];
  for (;;) {
    let question =
      asked.length > 0 && random.chance(0.05) ? random.pick(asked) : aQuestion(random, values);
    asked.push(question);
    let answer = yield finished(question);
    for (let tries = 0; tries < 3 && answer.status === 400; tries += 1) {
      question = without(question, answer);
      if (question === undefined) break;
      answer = yield finished(question);
    }
    if (question === undefined) continue;
    asked.push(question);
    if (random.chance(0.12)) {
      const known = random.chance(0.4) && answer.headers.etag;
      const condition = known ? { 'if-none-match': known } : {};
      yield finished({ ...question, headers: { ...question.headers, ...condition } });
    }
    for (let pages = random.pick([0, 0, 1, 2, 4]); pages > 0; pages -= 1) {
      const [, next] = /<([^>]+)>; rel="next"/.exec(answer.headers.link ?? '') ?? [];
      if (next === undefined) break;
      const caller = random.chance(0.02) ? random.pick(CUSTOMERS) : question.caller;
      answer = yield { ...finished(question), caller, path: next };
    }
  }
}

/** Without the parameters that the answer names; undefined where it names none. */
function without(question, { body }) {
  const refused = (JSON.parse(body).errors ?? []).map(({ parameter }) => parameter);
  const parameters = question.parameters.filter(([name]) => !refused.includes(name));
  const same = parameters.length === question.parameters.length;
  return same ? undefined : { ...question, parameters };
}

function finished({ operation, caller, base, parameters, headers }) {
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  // Commas stay readable.
  const path = `${base}${query === '' ? '' : '?'}${query.replaceAll('%2C', ',')}`;
  return { operation, caller, path, headers };
}

function aQuestion(random, values) {
  const operation = random.pick(BY_WEIGHT);
  const caller = random.chance(0.3) ? '*' : random.pick(CUSTOMERS);
  const { path, types, parameters } = operation;
  const own = values.rowsOf[caller];
  // What the caller sees, mostly: filters that are taken from one item find it.
  const row = random.pick(own?.length > 0 && random.chance(0.95) ? own : values.rows);
  const type = types.length === 1 || random.chance(0.85) ? JSON_TYPE : random.pick(types);
  const names = chosenNames(random, parameters, type !== JSON_TYPE);
  const item = path.includes('{id}') ? random.pick(ITEMS_OF[path](row)) : undefined;
  const version = random.chance(0.03) ? 'latest' : 'v1';
  return {
    operation: operation.id,
    caller,
    base: `/api/${version}${path.replace('{id}', random.chance(0.03) ? random.pick(RUBBISH) : item)}`,
    parameters: parameters
      .filter(({ name }) => names.has(name))
      .flatMap((one) =>
        texts(random, one, { ...values, row, operation, names }).map((text) => [one.name, text]),
      ),
    headers: type === JSON_TYPE ? {} : { accept: type },
  };
}

function chosenNames(random, parameters, whole) {
  const all = parameters.map(({ name }) => name);
  const chanceOf = (name) =>
    OFTEN[name] ?? (TAKEN.filter((one) => one === name).length > FEW_OPERATIONS ? 0 : RARE);
  const others = all.filter((name) => chanceOf(name) === 0);
  const chosen = [
    ...all.filter((name) => random.chance(chanceOf(name))),
    ...random.some(others, random.pick(HOW_MANY_OTHERS)),
    ...(whole && random.chance(0.93) ? [random.pick(NARROW)] : []),
  ];
  const needed = chosen.flatMap((name) => (random.chance(0.9) ? (NEEDS[name] ?? []) : []));
  const names = new Set([...chosen, ...needed]);
  if (whole) names.delete('limit');
  return names;
}

/** The texts that a parameter has in a query: mostly one. */
function texts(random, { name, schema }, source) {
  if (random.chance(0.015)) return [random.pick(RUBBISH)];
  const another = () => ({ ...source, row: random.pick(source.rows) });
  if (schema.type !== 'array') {
    return [aValue(random, name, schema, random.chance(0.97) ? source : another())];
  }
  const count = random.pick([1, 1, 1, 1, 1, 1, 2, 2, 3, 40]);
  const values = Array.from({ length: count }, (_, index) =>
    aValue(random, name, schema.items, index === 0 ? source : another()),
  );
  return random.chance(0.9) ? [values.join(',')] : values;
}

/** By the name of what the book has, or by its schema. */
function aValue(random, name, schema, source) {
  const { row, days, instants, externalNames, operation, names } = source;
  const amount = () => {
    const digits = minorUnitDigits(row.currency);
    const factor = random.pick([1, 1, 0.5, 0.9, 1.1, 0]);
    return (((row.outstanding ?? 0) * factor) / 10 ** digits).toFixed(digits);
  };
  const special = {
    level: () => (names.has('contractId') ? 'contract' : random.pick(schema.enum)),
    q: () => someWords(random, row.names),
    fields: () => {
      const { columns } = operation;
      const all = schema.enum ?? (columns.length > 0 ? columns : ALL_COLUMNS);
      const path = random.pick(all).split('.');
      return path.slice(0, random.between(1, path.length)).join('.');
    },
    minOutstanding: amount,
    maxOutstanding: amount,
    maturityFrom: () => shifted(row.maturity, -random.between(0, 400)),
    maturityTo: () => shifted(row.maturity, random.between(0, 400)),
    reportingCurrency: () => random.pick(['USD', 'EUR', row.currency]),
  };
  if (name in special) return special[name]();
  if (schema.enum !== undefined)
    return name in row && random.chance(0.7) ? row[name] : random.pick(schema.enum);
  if (row[name] != null) return (random.chance(0.2) && externalNames.get(row[name])) || row[name];
  if (schema.type === 'boolean') return `${random.chance(0.8)}`;
  if (schema.type === 'integer') return `${aNumber(random, schema)}`;
  if (schema.format === 'date') return aDay(random, days);
  if (schema.format === 'date-time')
    return random.pick(random.chance(0.95) ? instants : EDGE_INSTANTS);
  return random.pick(RUBBISH);
}

function aDay(random, days) {
  if (random.chance(0.05)) return random.pick(EDGE_DAYS);
  // Late ones twice as often: more is there.
  const at = Math.max(random.between(0, days.length - 1), random.between(0, days.length - 1));
  return shifted(days[at], random.pick([0, 0, 0, -1, 1]));
}

function aNumber(random, { minimum, maximum }) {
  const most = random.pick([minimum + 4, minimum + 4, 30, 30, 30, 200, maximum]);
  return random.chance(0.02)
    ? random.pick([minimum - 1, maximum, maximum + 1])
    : random.between(minimum, most);
}

function someWords(random, names) {
  const words = names.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  const some = random.some(words, random.pick([1, 1, 1, 2]));
  return some.map((word) => word.slice(0, random.between(2, word.length))).join(' ');
}

function shifted(day, days) {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
