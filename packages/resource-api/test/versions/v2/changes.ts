/** One change of each of the six kinds: the example of docs/guides/add-a-version.md. */
import { formatAmount, parseAmount } from '../../../src/ledger/money.ts';
import type { Change, Exchange, OperationKey } from '../../../src/lifecycle/release.ts';

// biome-ignore lint/suspicious/noExplicitAny: items are read as JSON.
type Json = any;

/** What answers balances: the list, one of them, and those of a deal. */
export const BALANCES: readonly OperationKey[] = [
  'GET /cls/balances',
  'GET /cls/balances/{id}',
  'GET /cls/deals/{id}',
];

/** Every balance of an answer, with those inside it. */
export function itemsOf({ body }: Pick<Exchange, 'body'>): readonly Json[] {
  const inside = (item: Json): Json[] => [
    ...(item.object === 'deal' ? [] : [item]),
    ...[item.contracts, item.balances, item.facilities, item.compared].flatMap((within) =>
      [within ?? []].flat().flatMap(inside),
    ),
  ];
  return [(body['data'] ?? []) as Json].flat().flatMap(inside);
}

/** Every line of amounts of an item: global, shares, and what was reported before. */
export function linesOf(item: Json): readonly Json[] {
  const lines = ({ global, share, lenders = [] }: Json) => [global, share, ...lenders];
  const former = item.provenance?.restatedFrom;
  return [...lines(item), ...(former ? lines(former) : [])].filter((line) => line != null);
}

export const RemoveMovementsList: Change = {
  name: 'RemoveMovementsList',
  summary: 'The list of movements is gone; ask for expand=movements of a principal balance.',
  covers: [{ rule: 'R1', operation: 'GET /cls/balances/principal/movements' }],
};

export const RequireFullControlForPrincipal: Change = {
  name: 'RequireFullControlForPrincipal',
  summary: 'Principal balances need external-api.fullcontrol.',
  covers: [{ rule: 'R2', operation: 'GET /cls/balances/principal' }],
};

/** Asks for what the total is made of, where the total was asked for. */
export const RemoveTotal: Change = {
  name: 'RemoveTotal',
  summary: 'Lines of a balance have no `total`; add up principal, interest and fees.',
  covers: BALANCES.map((operation) => ({ rule: 'R3', operation, pointer: '/responses/200' })),
  up({ operation, query }) {
    if (!BALANCES.includes(operation) || !query.has('fields')) return;
    const fields = query.getAll('fields').flatMap((value) => value.split(','));
    const parts = fields.flatMap((field) => {
      const [, line] = /^(.*)\.total(\.|$)/.exec(field) ?? [];
      if (line === undefined) return [field];
      return ['principal', 'interest', 'fees'].map((part) => `${line}.${part}`);
    });
    query.delete('fields');
    query.set('fields', [...new Set(parts)].join(','));
  },
  down(exchange) {
    if (!BALANCES.includes(exchange.operation) || exchange.status !== 200) return;
    for (const item of itemsOf(exchange)) {
      for (const line of linesOf(item)) {
        if (line.principal === undefined || line.fees === undefined) continue;
        const { principal, interest, fees } = line;
        line.total = {
          outstanding: sum(
            [principal.outstanding, interest.accrued, interest.pikAccrued, interest.due],
            [fees.accrued, fees.due],
          ),
          pastDue: sum([principal.pastDue, interest.pastDue, fees.pastDue]),
        };
      }
    }
  },
};

export const RequireLevel: Change = {
  name: 'RequireLevel',
  summary: 'GET /cls/balances needs `level`.',
  covers: [
    { rule: 'R4', operation: 'GET /cls/balances', pointer: '/parameters/query/level' },
    { rule: 'R5', operation: 'GET /cls/balances', pointer: '/parameters/query/level' },
  ],
  up({ operation, query }) {
    if (operation !== 'GET /cls/balances' || query.has('level') || query.has('cursor')) return;
    query.set('level', 'facility');
  },
};

export const AnswerMissingRateWith409: Change = {
  name: 'AnswerMissingRateWith409',
  summary: 'A missing exchange rate is 409 instead of 422.',
  covers: [...BALANCES, 'GET /cls/balances/principal' as const].flatMap((operation) => [
    { rule: 'R5', operation, pointer: '/responses/422' },
    { rule: 'R5', operation, pointer: '/responses/409' },
  ]),
  down(exchange) {
    if (exchange.status === 409 && exchange.body['code'] === 'fx_rate_missing') {
      exchange.status = 422;
    }
  },
};

/** A new validation cannot be converted away: the newest code asks whether it holds. */
export const LimitPagesTo500: Change = {
  name: 'LimitPagesTo500',
  summary: 'A page has 500 items at most.',
  covers: [
    { rule: 'R6', operation: 'GET /cls/balances', pointer: '/parameters/query/limit' },
    { rule: 'R6', operation: 'GET /cls/balances/principal', pointer: '/parameters/query/limit' },
  ],
  behaviour: 'flag',
};

export const V2_CHANGES: readonly Change[] = [
  RemoveMovementsList,
  RequireFullControlForPrincipal,
  RemoveTotal,
  RequireLevel,
  AnswerMissingRateWith409,
  LimitPagesTo500,
];

/** Amounts are added up as integers, never as floating point. */
function sum(...lists: readonly (readonly string[])[]): string {
  const amounts = lists.flat();
  const digits = (amounts[0] ?? '').split('.')[1]?.length ?? 0;
  const minor = amounts.map((text) => parseAmount(text, digits)?.amountMinor ?? 0n);
  const total = minor.reduce((all, one) => all + one, 0n);
  return formatAmount(total, digits);
}
