/** v1's shapes: docs/api.md lists every field. Money is a decimal string of its currency. */
import type { CurrencyTotal, Level, PastDue } from '../../balances/balance-store.ts';
import {
  type BalancePage,
  type BalanceReading,
  type FormerReading,
  subjectOf,
} from '../../balances/read-balances.ts';
import type { ResolvedSnapshot } from '../../balances/snapshot.ts';
import {
  type Balance,
  balanceChange,
  currentCommitment,
  MOVEMENT_COMPONENTS,
  type MovementComponent,
  obligation,
  outstandingPrincipal,
  type StatedBalance,
  ZERO_BALANCE,
} from '../../ledger/balance.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import { formatAmount } from '../../ledger/money.ts';
import { type Money, moneyOf, type Presented } from './money.ts';
import { presentAccrual } from './present-accrual.ts';
import { presentMovement } from './present-movement.ts';
import { presentReporting } from './present-reporting.ts';

export type BalanceResource = 'balances' | 'principal';

const MOVEMENT_NAMES: Readonly<Record<MovementComponent, string>> = {
  advances: 'advances',
  scheduled_repayments: 'scheduledRepayments',
  voluntary_prepayments: 'voluntaryPrepayments',
  mandatory_prepayments: 'mandatoryPrepayments',
  pik_capitalizations: 'pikCapitalized',
  fee_capitalizations: 'feesCapitalized',
  write_offs: 'writeOffs',
  rollovers: 'rollovers',
  transfers: 'transfers',
  adjustments: 'adjustments',
};
const SHARE_DECIMALS = 12;
const NOTHING_PAST_DUE: Omit<PastDue, 'lenderId'> = {
  principal: 0n,
  interest: 0n,
  fees: 0n,
  oldestDueDate: null,
};

/** The dates stand here and not in the items: an item reads the same on the days between changes. */
export function presentMeta(snapshot: ResolvedSnapshot, period?: Period): Presented {
  return {
    apiVersion: 'v1',
    asOf: snapshot.asOf,
    knownAt: snapshot.knownAt ?? null,
    ledgerSeq: Number(snapshot.ledgerSeq),
    dataThrough: snapshot.dataThrough ?? null,
    ...(period === undefined ? {} : { period: { from: period.from ?? null, to: snapshot.asOf } }),
  };
}

/** First day of a roll-forward; undefined: since inception. */
export interface Period {
  readonly from: BusinessDate | undefined;
}

export function presentItem(
  resource: BalanceResource,
  reading: BalanceReading,
  page: Pick<BalancePage, 'snapshot' | 'question' | 'filter' | 'rates'>,
): Presented {
  return resource === 'balances' ? presentBalance(reading, page) : presentPrincipal(reading, page);
}

type ItemContext = Pick<BalancePage, 'snapshot' | 'question' | 'filter' | 'rates'>;

/** Every line of an item alike: the global one, and each lender's. */
type PresentLine = (balance: StatedBalance, lenderId: string) => Presented;

function presentBalance(reading: BalanceReading, context: ItemContext): Presented {
  const { item, pastDue, former } = reading;
  const { asOf } = context.snapshot;
  const { level } = context.question;
  const money = moneyOf(item.currency);
  const lineOf =
    (lates: readonly PastDue[]): PresentLine =>
    (balance, lenderId) => {
      const late = lates.find((one) => one.lenderId === lenderId) ?? NOTHING_PAST_DUE;
      return amounts(balance, late, money);
    };
  const line = lineOf(pastDue);
  const global = pastDue.find(({ lenderId }) => lenderId === '') ?? NOTHING_PAST_DUE;
  return {
    object: 'balance',
    id: `bal_${presentedId(reading, level)}`,
    level,
    ...presentParties(reading, level),
    global: line(item.global, ''),
    ...presentShares(reading, context, line),
    status: {
      deal: item.deal.status,
      ...(level === 'deal' ? {} : { facility: item.facility?.status }),
      ...(level === 'contract' ? { contract: item.contract?.status } : {}),
      daysPastDue: daysBetween(global.oldestDueDate, asOf),
    },
    ...(context.question.expand.has('accrual')
      ? { accrual: reading.accruals.map((one) => presentAccrual(one, item.currency)) }
      : {}),
    ...reportingOf(reading, context),
    ...presentContracts('balances', reading, context),
    ...presentProvenance(reading, former && formerBalance(former, context, lineOf(former.pastDue))),
  };
}

function presentPrincipal(reading: BalanceReading, context: ItemContext): Presented {
  const { item, opening } = reading;
  const { level } = context.question;
  const money = moneyOf(item.currency);
  const line: PresentLine = (balance, lenderId) =>
    rollForward(opening?.get(lenderId) ?? ZERO_BALANCE, balance, money);
  return {
    object: 'principalBalance',
    id: `pri_${presentedId(reading, level)}`,
    level,
    ...presentParties(reading, level),
    global: line(item.global, ''),
    ...presentShares(reading, context, line),
    sinceInception: {
      advanced: money(item.global.advances),
      repaid: money(repaid(item.global)),
    },
    allInRate: item.contract?.allInRate ?? null,
    status: {
      deal: item.deal.status,
      ...(level === 'facility' || level === 'position' ? { facility: item.facility?.status } : {}),
      ...(level === 'contract' ? { contract: item.contract?.status } : {}),
    },
    ...countsOf(reading),
    links: { movements: movementsLink(reading, context) },
    ...(reading.movements === undefined
      ? {}
      : { movements: reading.movements.map(presentMovement) }),
    ...reportingOf(reading, context),
    ...presentContracts('principal', reading, context),
    ...presentProvenance(reading, reading.former && formerClosing(reading.former, context, money)),
  };
}

function presentedId({ item }: BalanceReading, level: Level): string {
  const subjects: Readonly<Record<Level, string | undefined>> = {
    deal: `${item.deal.id}_${item.currency}`,
    facility: item.facility?.id,
    contract: item.contract?.id,
    position: item.position?.id,
  };
  return subjects[level] ?? '';
}

/** The item's own amounts in the currency that was asked for. */
function reportingOf({ item }: BalanceReading, { question, rates }: ItemContext): Presented {
  const { reporting } = question;
  if (reporting === undefined || rates === undefined) return {};
  const own = item.lenders.find(({ lender }) => lender.id === item.position?.lenderId);
  const balance = own?.balance ?? item.global;
  return {
    reporting: presentReporting(balance, item.currency, reporting.currency, rates),
  };
}

function presentContracts(
  resource: BalanceResource,
  { contracts }: BalanceReading,
  { question, ...context }: ItemContext,
): Presented {
  if (contracts === undefined) return {};
  const level = 'contract';
  const within = { ...context, question: { ...question, level } } as const;
  return { contracts: contracts.map((one) => presentItem(resource, one, within)) };
}

function presentParties({ item }: BalanceReading, level: Level): Presented {
  const { deal, facility, contract, position, borrower, currency } = item;
  return {
    deal: { id: deal.id, name: deal.name, dealNumber: deal.dealNumber },
    facility:
      level === 'deal' || facility === null
        ? null
        : {
            id: facility.id,
            name: facility.name,
            type: facility.type,
            currency,
            maturityDate: facility.maturityDate,
            sublimitOf: facility.sublimitOf,
          },
    contract:
      contract === null
        ? null
        : {
            id: contract.id,
            contractNumber: contract.contractNumber,
            maturityDate: contract.maturityDate,
          },
    ...(position === null ? {} : { position: { id: position.id, kind: position.kind } }),
    borrower,
    currency,
  };
}

/** `share`: the caller's own, or of the one lender asked for. `lenders`: every share it may see. */
function presentShares(
  { item }: Pick<BalanceReading, 'item'>,
  { question, filter }: ItemContext,
  present: PresentLine,
): Presented {
  const { roles, lenders, global, position } = item;
  const shares = lenders.map(({ lender, balance }) => ({
    lender,
    fraction: fractionOf(currentCommitment(balance), currentCommitment(global)),
    ...present(balance, lender.id),
  }));
  const asked = filter.lenderIds.length === 1 ? filter.lenderIds[0] : undefined;
  const wanted = position?.lenderId ?? asked;
  const own = roles.includes('lender') && !roles.includes('agent') && shares.length === 1;
  const share = own ? shares[0] : shares.find(({ lender }) => lender.id === wanted);
  return { share: share ?? null, ...(question.level === 'position' ? {} : { lenders: shares }) };
}

function formerBalance(former: FormerReading, context: ItemContext, line: PresentLine): Presented {
  return { global: line(former.item.global, ''), ...presentShares(former, context, line) };
}

function formerClosing(former: FormerReading, context: ItemContext, money: Money): Presented {
  const line: PresentLine = (balance) => ({ closing: money(outstandingPrincipal(balance)) });
  return { ...line(former.item.global, ''), ...presentShares(former, context, line) };
}

/** @param restatedFrom what was reported of the same date before, where that was something else. */
function presentProvenance(
  { item, former, lastPostedAt }: BalanceReading,
  restatedFrom: Presented | undefined,
): Presented {
  const { global, lastEffectiveDate, lastSeq } = item;
  const warnings = [
    ...(outstandingPrincipal(global) < 0n ? ['negative_outstanding'] : []),
    ...(global.unfunded < 0n ? ['negative_unfunded'] : []),
    ...(item.overdrawn ? ['overadvance'] : []),
  ];
  return {
    provenance: {
      lastEffectiveDate,
      lastPostedAt: lastPostedAt ?? null,
      ledgerSeq: Number(lastSeq),
      restated: former !== undefined,
      restatedFrom: former === undefined ? null : { knownAt: former.knownAt, ...restatedFrom },
    },
    warnings,
  };
}

function amounts(balance: StatedBalance, late: Omit<PastDue, 'lenderId'>, money: Money): Presented {
  const outstanding = outstandingPrincipal(balance);
  const interest = balance.interest_accrued + balance.pik_accrued + balance.interest_due;
  const fees = balance.fees_accrued + balance.fees_due;
  return {
    commitment: {
      original: money(balance.original_commitment),
      cancelled: money(balance.cancelled_commitment),
      current: money(currentCommitment(balance)),
      funded: money(balance.principal_cash),
      unfunded: money(balance.unfunded),
      available: money(balance.available),
      unavailable: money(balance.unavailable),
      letterOfCredit: money(balance.letter_of_credit),
      sublimitUsed: money(balance.sublimit_used),
    },
    principal: {
      outstanding: money(outstanding),
      cash: money(balance.principal_cash),
      pikCapitalized: money(balance.principal_pik),
      due: money(balance.principal_due),
      pastDue: money(late.principal),
      exchangeAdjustment: money(balance.fx_revaluation),
      obligation: money(obligation(balance)),
    },
    interest: {
      accrued: money(balance.interest_accrued),
      pikAccrued: money(balance.pik_accrued),
      due: money(balance.interest_due),
      pastDue: money(late.interest),
    },
    fees: {
      accrued: money(balance.fees_accrued),
      due: money(balance.fees_due),
      pastDue: money(late.fees),
    },
    total: {
      outstanding: money(outstanding + interest + fees),
      pastDue: money(late.principal + late.interest + late.fees),
    },
  };
}

function rollForward(opening: Balance, closing: Balance, money: Money): Presented {
  const change = balanceChange(opening, closing);
  const movements = MOVEMENT_COMPONENTS.map((name) => [MOVEMENT_NAMES[name], money(change[name])]);
  return {
    opening: money(outstandingPrincipal(opening)),
    movements: Object.fromEntries(movements),
    closing: money(outstandingPrincipal(closing)),
    exchangeAdjustment: money(closing.fx_revaluation),
    obligation: money(obligation(closing)),
  };
}

function repaid(balance: Balance): bigint {
  return (
    balance.scheduled_repayments + balance.voluntary_prepayments + balance.mandatory_prepayments
  );
}

function countsOf({ item, opening }: BalanceReading): Presented {
  const { movement_count, reversal_count } = balanceChange(
    opening?.get('') ?? ZERO_BALANCE,
    item.global,
  );
  return { movementCount: Number(movement_count), reversedCount: Number(reversal_count) };
}

/** Frozen at the item's newest posting: the same postings for ever, whatever else is posted. */
function movementsLink({ item, lastPostedAt }: BalanceReading, { question }: ItemContext): string {
  const subject = subjectOf(item, question.level);
  const names = {
    dealIds: 'dealId',
    facilityIds: 'facilityId',
    contractIds: 'contractId',
  } as const;
  const others = { lenderIds: 'lenderId', currencies: 'currency' } as const;
  const filters = Object.entries({ ...names, ...others }).flatMap(([list, name]) =>
    (subject[list as keyof typeof names] ?? []).map((value) => [name, value]),
  );
  const query = new URLSearchParams({
    ...Object.fromEntries(filters),
    ...(question.fromDate === undefined ? {} : { fromDate: question.fromDate }),
    toDate: [item.lastEffectiveDate, question.fromDate ?? ''].sort()[1] ?? '',
    ...(lastPostedAt === undefined ? {} : { knownAt: lastPostedAt }),
  });
  return `/api/v1/cls/balances/principal/movements?${query}`;
}

export function presentTotal(
  { currency, count, balance, withAccruals }: CurrencyTotal,
  level: Level,
): Presented {
  const money = moneyOf(currency);
  return {
    currency,
    count,
    principalOutstanding: money(outstandingPrincipal(balance)),
    exchangeAdjustment: money(balance.fx_revaluation),
    obligation: money(obligation(balance)),
    // Commitments stand on facilities; of contracts alone the sum would be a false zero.
    ...(level === 'contract' ? {} : { unfunded: money(balance.unfunded) }),
    // Null: too many to add up for a page; the summary of an export has the sum.
    interestAccrued: withAccruals ? money(balance.interest_accrued) : null,
    feesAccrued: withAccruals ? money(balance.fees_accrued) : null,
  };
}

/** A fraction of the whole as a decimal string, cut at 12 decimals; null of nothing. */
function fractionOf(part: bigint, whole: bigint): string | null {
  if (whole === 0n) return null;
  return formatAmount((part * 10n ** BigInt(SHARE_DECIMALS)) / whole, SHARE_DECIMALS);
}

const DAY_MS = 86_400_000;

function daysBetween(from: BusinessDate | null, to: BusinessDate): number {
  return from === null ? 0 : (Date.parse(to) - Date.parse(from)) / DAY_MS;
}
