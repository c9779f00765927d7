/** v1's shapes: docs/reference/api.md lists every field. Money is a decimal string of its currency. */

import {
  type Balance,
  currentCommitment,
  funded,
  MOVEMENT_COMPONENTS,
  type MovementComponent,
  obligation,
  outstandingPrincipal,
  type PrincipalBalance,
  type StatedBalance,
  ZERO_BALANCE,
} from '../../ledger/balance.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import { actualDays } from '../../ledger/day-count.ts';
import { formatAmount, type Money, moneyOf } from '../../ledger/money.ts';
import {
  type BalanceItem,
  type CurrencyTotal,
  type Level,
  NOTHING_PAST_DUE,
  type PastDue,
} from '../../questions/ask/balance-store.ts';
import { latest, type ResolvedSnapshot } from '../../questions/ask/snapshot.ts';
import { type BalancePage, subjectOf } from '../../questions/page/read-balances.ts';
import type { BalanceReading, FormerReading } from '../../questions/page/read-items.ts';
import { presentAccrual } from './present-accrual.ts';
import { presentMovement } from './present-movement.ts';
import { presentReporting, presentReportingTotal } from './present-reporting.ts';
import { presentRate, presentTerms } from './present-terms.ts';
import type { Presented } from './presented.ts';

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
const SHARE_SCALE = 10n ** BigInt(SHARE_DECIMALS);

/**
 * The dates stand here and not in the items: an item reads the same on the days between changes.
 *
 * @param period of a roll-forward: its first day; undefined: since inception.
 */
export function presentMeta(
  snapshot: ResolvedSnapshot,
  period?: { readonly from: BusinessDate | undefined },
): Presented {
  return {
    apiVersion: 'v1',
    asOf: snapshot.asOf,
    knownAt: snapshot.knownAt ?? null,
    ledgerSeq: Number(snapshot.ledgerSeq),
    dataFrom: snapshot.firstDate ?? null,
    dataThrough: snapshot.dataThrough ?? null,
    ...(period === undefined ? {} : { period: { from: period.from ?? null, to: snapshot.asOf } }),
  };
}

export function presentItem(
  resource: BalanceResource,
  reading: BalanceReading,
  page: ItemContext,
): Presented {
  return resource === 'balances' ? presentBalance(reading, page) : presentPrincipal(reading, page);
}

type ItemContext = Pick<BalancePage, 'snapshot' | 'question' | 'filter' | 'rates'>;

/** An object that is being put together, name by name in the order of the document. */
type Draft = Record<string, unknown>;

/** Every line of an item alike: the global one, and each lender's, behind what is there already. */
type PresentLine = (line: Draft, balance: StatedBalance, lenderId: string) => Draft;

function presentBalance(reading: BalanceReading, context: ItemContext): Presented {
  const { item, pastDue, former } = reading;
  const { level } = context.question;
  const money = moneyOf(item.currency);
  const lineOf =
    (lates: readonly PastDue[]): PresentLine =>
    (line, balance, lenderId) =>
      addAmounts(line, balance, lateOf(lates, lenderId), money);
  const presented = draftOf('balance', 'bal', reading, level);
  addLines(presented, reading, context, lineOf(pastDue));
  const status: Draft = { deal: item.deal.status };
  if (level !== 'deal') status['facility'] = item.facility?.status;
  if (level === 'contract') status['contract'] = item.contract?.status;
  const { oldestDueDate } = lateOf(pastDue, '');
  status['daysPastDue'] =
    oldestDueDate === null ? 0 : actualDays(oldestDueDate, context.snapshot.asOf);
  presented['status'] = status;
  if (context.question.expand.has('accrual')) {
    presented['accrual'] = reading.accruals.map((one) => presentAccrual(one, item.currency));
  }
  const { terms } = reading;
  const { expand } = context.question;
  if (terms !== undefined && expand.has('terms'))
    presented['terms'] = presentTerms(terms, item.contract?.allInRate ?? null);
  if (terms?.rates !== undefined) presented['rates'] = terms.rates.map(presentRate);
  addReporting(presented, reading, context);
  addContracts(presented, 'balances', reading, context);
  addProvenance(
    presented,
    reading,
    former && addLines({}, former, context, lineOf(former.pastDue)),
  );
  return presented;
}

function presentPrincipal(reading: BalanceReading, context: ItemContext): Presented {
  const { item, opening, former } = reading;
  const { level } = context.question;
  const money = moneyOf(item.currency);
  const openingOf = (lenderId: string) => opening?.get(lenderId)?.balance ?? ZERO_BALANCE;
  const line: PresentLine = (draft, balance, lenderId) =>
    addRollForward(draft, openingOf(lenderId), balance, money);
  const presented = draftOf('principalBalance', 'pri', reading, level);
  addLines(presented, reading, context, line);
  presented['sinceInception'] = {
    advanced: money(item.global.advances),
    repaid: money(repaid(item.global)),
  };
  presented['allInRate'] = item.contract?.allInRate ?? null;
  const status: Draft = { deal: item.deal.status };
  if (level === 'facility' || level === 'position') status['facility'] = item.facility?.status;
  if (level === 'contract') status['contract'] = item.contract?.status;
  presented['status'] = status;
  const before = openingOf('');
  presented['movementCount'] = Number(item.global.movement_count - before.movement_count);
  presented['reversedCount'] = Number(item.global.reversal_count - before.reversal_count);
  presented['links'] = { movements: movementsLink(reading, context) };
  if (reading.movements !== undefined) {
    presented['movements'] = reading.movements.map(presentMovement);
  }
  addReporting(presented, reading, context);
  addContracts(presented, 'principal', reading, context);
  addProvenance(presented, reading, former && formerClosing(former, context, money));
  return presented;
}

function lateOf(lates: readonly PastDue[], lenderId: string): Omit<PastDue, 'lenderId'> {
  if (lates.length === 0) return NOTHING_PAST_DUE;
  return lates.find((one) => one.lenderId === lenderId) ?? NOTHING_PAST_DUE;
}

/** What an item is, and what it is of. */
function draftOf(object: string, prefix: string, { item }: BalanceReading, level: Level): Draft {
  const { deal, facility, contract, position, borrower, currency } = item;
  const draft: Draft = {
    object,
    id: `${prefix}_${presentedId(item, level)}`,
    level,
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
  };
  if (position !== null) draft['position'] = { id: position.id, kind: position.kind };
  draft['borrower'] = borrower;
  draft['currency'] = currency;
  return draft;
}

function presentedId(item: BalanceItem, level: Level): string | undefined {
  return level === 'deal' ? `${item.deal.id}_${item.currency}` : item[level]?.id;
}

/** The item's own amounts in the currency that was asked for. */
function addReporting(draft: Draft, { item }: BalanceReading, context: ItemContext): void {
  const { question, rates } = context;
  const { reporting } = question;
  if (reporting === undefined || rates === undefined) return;
  const own = item.lenders.find(({ lender }) => lender.id === item.position?.lenderId);
  const balance = own?.balance ?? item.global;
  draft['reporting'] = presentReporting(balance, item.currency, reporting.currency, rates);
}

function addContracts(
  draft: Draft,
  resource: BalanceResource,
  { contracts }: BalanceReading,
  context: ItemContext,
): void {
  if (contracts === undefined) return;
  const level = 'contract';
  const within = { ...context, question: { ...context.question, level } } as const;
  draft['contracts'] = contracts.map((one) => presentItem(resource, one, within));
}

function addLines(
  draft: Draft,
  reading: Pick<BalanceReading, 'item'>,
  context: ItemContext,
  line: PresentLine,
): Draft {
  draft['global'] = line({}, reading.item.global, '');
  return addShares(draft, reading, context, line);
}

/** `share`: the caller's own, or of the one lender asked for. `lenders`: every share it may see. */
function addShares(
  draft: Draft,
  { item }: Pick<BalanceReading, 'item'>,
  { question, filter }: ItemContext,
  present: PresentLine,
): Draft {
  const { roles, lenders, global, position } = item;
  const whole = currentCommitment(global);
  const shares = lenders.map(({ lender, balance }) =>
    present(
      { lender, fraction: fractionOf(currentCommitment(balance), whole) },
      balance,
      lender.id,
    ),
  );
  const asked = filter.lenderIds.length === 1 ? filter.lenderIds[0] : undefined;
  const wanted = position?.lenderId ?? asked;
  const own = shares.length === 1 && roles.includes('lender') && !roles.includes('agent');
  const share = own ? shares[0] : shares[lenders.findIndex(({ lender }) => lender.id === wanted)];
  draft['share'] = share ?? null;
  if (question.level !== 'position') draft['lenders'] = shares;
  return draft;
}

function formerClosing(former: FormerReading, context: ItemContext, money: Money): Presented {
  const line: PresentLine = (draft, balance) => {
    draft['closing'] = money(outstandingPrincipal(balance));
    return draft;
  };
  return addShares(line({}, former.item.global, ''), former, context, line);
}

/** @param restatedFrom what was reported of the same date before, where that was something else. */
function addProvenance(
  draft: Draft,
  { item, former, pastDue, lastPostedAt }: BalanceReading,
  restatedFrom: Presented | undefined,
): void {
  const { global, lastEffectiveDate, lastSeq } = item;
  draft['provenance'] = {
    lastEffectiveDate,
    lastPostedAt: lastPostedAt ?? null,
    ledgerSeq: Number(lastSeq),
    restated: former !== undefined,
    restatedFrom: former === undefined ? null : { knownAt: former.knownAt, ...restatedFrom },
  };
  const warnings: string[] = [];
  if (item.overpaid) warnings.push('negative_outstanding');
  if (global.unfunded < 0n) warnings.push('negative_unfunded');
  if (item.overdrawn) warnings.push('overadvance');
  if (item.lenderOverdrawn) warnings.push('lender_beyond_commitment');
  if (lateOf(pastDue, '').isMatured) warnings.push('past_maturity');
  draft['warnings'] = warnings;
}

function addAmounts(
  line: Draft,
  balance: StatedBalance,
  late: Omit<PastDue, 'lenderId'>,
  money: Money,
): Draft {
  const outstanding = outstandingPrincipal(balance);
  const interest = balance.interest_accrued + balance.pik_accrued + balance.interest_due;
  const fees = balance.fees_accrued + balance.fees_due;
  line['commitment'] = {
    original: money(balance.original_commitment),
    cancelled: money(balance.cancelled_commitment),
    current: money(currentCommitment(balance)),
    funded: money(funded(balance)),
    unfunded: money(balance.unfunded),
    available: money(balance.available),
    unavailable: money(balance.unavailable),
    letterOfCredit: money(balance.letter_of_credit),
    sublimitUsed: money(balance.sublimit_used),
  };
  line['principal'] = {
    outstanding: money(outstanding),
    cash: money(balance.principal_cash),
    pikCapitalized: money(balance.principal_pik),
    due: money(balance.principal_due + late.maturedDue),
    pastDue: money(late.principal),
    exchangeAdjustment: money(balance.fx_revaluation),
    obligation: money(obligation(balance)),
  };
  line['interest'] = {
    accrued: money(balance.interest_accrued),
    pikAccrued: money(balance.pik_accrued),
    due: money(balance.interest_due),
    pastDue: money(late.interest),
  };
  line['fees'] = {
    accrued: money(balance.fees_accrued),
    due: money(balance.fees_due),
    pastDue: money(late.fees),
  };
  line['total'] = {
    outstanding: money(outstanding + interest + fees),
    pastDue: money(late.principal + late.interest + late.fees),
  };
  return line;
}

export function presentMovements(
  opening: PrincipalBalance,
  closing: PrincipalBalance,
  money: Money,
): Presented {
  const movements: Draft = {};
  for (const name of MOVEMENT_COMPONENTS) {
    movements[MOVEMENT_NAMES[name]] = money(closing[name] - opening[name]);
  }
  return movements;
}

function addRollForward(line: Draft, opening: Balance, closing: Balance, money: Money): Draft {
  line['opening'] = money(outstandingPrincipal(opening));
  line['movements'] = presentMovements(opening, closing, money);
  line['closing'] = money(outstandingPrincipal(closing));
  line['exchangeAdjustment'] = money(closing.fx_revaluation);
  line['obligation'] = money(obligation(closing));
  return line;
}

function repaid(balance: Balance): bigint {
  return (
    balance.scheduled_repayments + balance.voluntary_prepayments + balance.mandatory_prepayments
  );
}

/** Frozen at the item's newest posting: the same postings for ever, whatever else is posted. */
function movementsLink({ item, lastPostedAt }: BalanceReading, { question }: ItemContext): string {
  const subject = subjectOf(item, question.level);
  const query = new URLSearchParams();
  for (const [list, name] of LINKED) {
    for (const value of subject[list] ?? []) query.set(name, value);
  }
  const { fromDate } = question;
  if (fromDate !== undefined) query.set('fromDate', fromDate);
  const { lastEffectiveDate } = item;
  // Where nothing was ever posted, there is no such day.
  const toDate = latest(lastEffectiveDate ?? undefined, fromDate);
  if (toDate !== undefined) query.set('toDate', toDate);
  if (lastPostedAt !== undefined) query.set('knownAt', lastPostedAt);
  return `/api/v1/cls/balances/principal/movements?${query}`;
}

const LINKED = [
  ['dealIds', 'dealId'],
  ['facilityIds', 'facilityId'],
  ['contractIds', 'contractId'],
  ['lenderIds', 'lenderId'],
  ['currencies', 'currency'],
] as const;

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

export interface PresentedTotals {
  readonly totals: readonly Presented[];
  readonly reportingTotal: Presented | undefined;
}

/**
 * Totals of a page, and what they come to in the currency that was asked for. Interest that was not added
 * up has no sum in another currency either, so nothing is told in it then.
 */
export function presentTotals(
  totals: readonly CurrencyTotal[],
  { question: { level, reporting }, rates }: Pick<BalancePage, 'question' | 'rates'>,
): PresentedTotals {
  const isWhole = totals.every(({ withAccruals }) => withAccruals);
  return {
    totals: totals.map((total) => presentTotal(total, level)),
    reportingTotal:
      isWhole && reporting && rates
        ? presentReportingTotal(totals, reporting.currency, rates)
        : undefined,
  };
}

/** A fraction of the whole as a decimal string, cut at 12 decimals; null of nothing. */
function fractionOf(part: bigint, whole: bigint): string | null {
  if (whole === 0n) return null;
  return formatAmount((part * SHARE_SCALE) / whole, SHARE_DECIMALS);
}
