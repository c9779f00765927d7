/** What is unlikely in a statement, told before anything is applied. Pure. */
import type { BusinessDate } from '../ledger/business-date.ts';
import { daysAfter } from '../ledger/business-date.ts';
import { type LookAlike, LookAlikes } from './look-alikes.ts';
import type { KnownParties } from './plan/known-deal.ts';
import { type ImportProfile, SANITY_CHECKS, type SanityCheck } from './profile/profile.ts';
import { totalOf } from './statement/legs.ts';
import type { LenderShare } from './statement/shares.ts';
import type { StatedFacility } from './statement/stated-deal.ts';
import type { StatementRow } from './statement/statement-row.ts';

export interface SanityFinding {
  readonly check: SanityCheck;
  readonly message: string;
  /** `refused` unless it was accepted with a reason. */
  readonly severity: 'refused' | 'accepted' | 'warning';
  readonly count: number;
  readonly rows: readonly number[];
  /** The first of what was found, in words, where rows do not say it. */
  readonly examples?: readonly string[];
  readonly threshold?: number;
  readonly reason?: string;
}

interface Rule {
  readonly message: string;
  readonly severity: 'refuse' | 'warn';
  readonly threshold?: number;
}

const CENTURY_DAYS = 36_525;
/** No loan runs longer. A maturity that fits when it is put a century later was read in the wrong century. */
const LONGEST_YEARS = 50;
const SLIPPED = 'two digits of a year may be read a century too early, as 1930 for 2030';
const ROWS_SHOWN = 10;
const EXAMPLES_SHOWN = 5;
/** Of few loans some may go in a month. */
const VANISHED_MIN = 25;
/** Of few loans all may be overpaid. */
const BELOW_ZERO_MIN = 3;
/** Of few loans all may stay as they are. */
const SAME_MIN = 10;

/** By check, what it finds and what follows where a profile says nothing. */
export const SANITY_RULES: Readonly<Record<SanityCheck, Rule>> = {
  date_beyond_today: { message: 'the statement is of a day after today', severity: 'refuse' },
  date_a_century_back: { message: 'a date is more than a century back', severity: 'refuse' },
  matures_before_start: { message: 'a loan matures before it starts', severity: 'warn' },
  rate_beyond_100_percent: {
    message: 'a rate is above 100 % a year: it may be in basis points',
    severity: 'refuse',
  },
  lender_below_zero: {
    message: 'most balances are below zero: they may have the sign of a liability',
    severity: 'refuse',
    threshold: 0.5,
  },
  sign_turned: {
    message: 'a balance is about what it was, with the other sign',
    severity: 'refuse',
  },
  balance_beyond_limit: { message: 'a balance is above its limit', severity: 'warn' },
  many_loans_vanish: {
    message: 'many loans of the book are not in the statement',
    severity: 'refuse',
    threshold: 0.1,
  },
  drawing_moved: {
    message:
      'a drawing is in another facility than in the book, which keeps it in the old one too: its amount counts twice',
    severity: 'refuse',
  },
  leading_zeros_lost: {
    message:
      'loans of the book differ from loans of the statement by leading zeros alone: a spreadsheet may have dropped them',
    severity: 'refuse',
  },
  same_as_before: {
    message: 'the statement states nothing new: it may be an old one with a new date',
    severity: 'warn',
  },
  same_file_as_before: {
    message: 'the same file is in the book for another date',
    severity: 'refuse',
  },
  names_look_alike: { message: 'two names look alike and are not the same', severity: 'warn' },
};

interface Found {
  count: number;
  readonly rows: number[];
  readonly examples: string[];
}

export class SanityChecks {
  readonly #sanity: ImportProfile['sanity'];
  readonly #today: BusinessDate;
  #rows = 0;
  #belowZero = 0;
  #slipped = 0;
  readonly #oldest: BusinessDate;
  readonly #found = new Map<SanityCheck, Found>();
  readonly #names = new LookAlikes();

  constructor({ sanity }: ImportProfile, today: BusinessDate) {
    this.#sanity = sanity;
    this.#today = today;
    this.#oldest = daysAfter(today, -CENTURY_DAYS);
  }

  statement(asOf: BusinessDate | undefined): void {
    const threshold = this.#threshold('lender_below_zero') ?? 1;
    if (this.#belowZero >= BELOW_ZERO_MIN && this.#belowZero > this.#rows * threshold) {
      this.add('lender_below_zero', 0, this.#belowZero);
    }
    if (asOf !== undefined && asOf > this.#today) this.add('date_beyond_today', 0);
  }

  row({ row, amounts, allInRate, dates, borrower, guarantor, agent, lender }: StatementRow): void {
    const { due = 0n, limit, dueThirdParty = 0n } = amounts;
    const { effectiveDate, maturityDate } = dates;
    if (limit !== undefined && due > limit) this.add('balance_beyond_limit', row);
    this.#rows += 1;
    if (due < 0n || dueThirdParty < 0n) this.#belowZero += 1;
    const isAboveOne = /^[1-9]/.test(allInRate ?? '') && !/^1\.0*$/.test(allInRate ?? '');
    if (isAboveOne) this.add('rate_beyond_100_percent', row);
    if (Object.values(dates).some((date) => date !== undefined && date < this.#oldest)) {
      this.add('date_a_century_back', row);
    }
    if (effectiveDate && maturityDate && maturityDate < effectiveDate) {
      const example = `row ${row}: from ${effectiveDate} to ${maturityDate}`;
      this.add('matures_before_start', row, 1, example);
      if (yearOf(maturityDate) + 100 - yearOf(effectiveDate) <= LONGEST_YEARS) this.#slipped += 1;
    }
    for (const party of [borrower, guarantor, agent, lender]) {
      if (party !== undefined) this.#alike(this.#names.add(party, row), row);
    }
  }

  /** What its rows do not say one by one. */
  facility({ row, drawings, commitment }: StatedFacility): void {
    if (commitment.current === undefined) return;
    const limit = totalOf(commitment.current);
    const dues = drawings.map(({ due }) => totalOf(due));
    const isAbove = dues.reduce((sum, due) => sum + due, 0n) > limit;
    if (isAbove && dues.every((due) => due <= limit)) this.add('balance_beyond_limit', row);
  }

  shares(rows: Iterable<LenderShare>): void {
    for (const { lender, row } of rows) {
      this.#alike(this.#names.add(lender, row, ' of the shares'));
    }
  }

  parties(known: KnownParties): void {
    this.#alike(this.#names.inBook(known));
  }

  /** @param before loans that the book has at the date; `vanished` of them are not in the statement. */
  loans(before: number, vanished: number, changed: number): void {
    const threshold = this.#threshold('many_loans_vanish') ?? 1;
    if (vanished >= VANISHED_MIN && vanished > before * threshold) {
      const message = `${vanished} of the ${before} loans of the book`;
      this.add('many_loans_vanish', 0, vanished, message);
    }
    if (before >= SAME_MIN && changed === 0 && vanished === 0)
      this.add('same_as_before', 0, before);
  }

  /** @param row 0 where it is not of a row. */
  add(check: SanityCheck, row: number, count = 1, example?: string): void {
    if (count === 0) return;
    const found = this.#found.get(check) ?? { count: 0, rows: [], examples: [] };
    found.count += count;
    if (row > 0 && found.rows.length < ROWS_SHOWN) found.rows.push(row);
    if (example !== undefined && found.examples.length < EXAMPLES_SHOWN) {
      found.examples.push(example);
    }
    this.#found.set(check, found);
  }

  findings(accepted: Readonly<Partial<Record<SanityCheck, string>>>): readonly SanityFinding[] {
    return SANITY_CHECKS.flatMap((check) => {
      const found = this.#found.get(check);
      const given = this.#sanity[check];
      if (found === undefined || given === 'off') return [];
      const { message, severity } = SANITY_RULES[check];
      const refuses = (typeof given === 'string' ? given : severity) === 'refuse';
      const reason = accepted[check];
      const threshold = this.#threshold(check);
      const outcome = reason === undefined ? ('refused' as const) : ('accepted' as const);
      const { count, rows, examples } = found;
      const isSlip = check === 'matures_before_start' && this.#slipped === count;
      return {
        check,
        message: isSlip ? `${message}; ${SLIPPED}` : message,
        severity: refuses ? outcome : ('warning' as const),
        count,
        rows,
        ...(examples.length === 0 ? {} : { examples }),
        ...(threshold === undefined ? {} : { threshold }),
        ...(reason === undefined ? {} : { reason }),
      };
    });
  }

  #threshold(check: SanityCheck): number | undefined {
    const given = this.#sanity[check];
    return typeof given === 'object' ? given.above : SANITY_RULES[check].threshold;
  }

  #alike(found: readonly LookAlike[], row = 0): void {
    for (const { name, place, other, otherPlace } of found) {
      this.add('names_look_alike', row, 1, `“${name}” in ${place}, “${other}” in ${otherPlace}`);
    }
  }
}

function yearOf(date: BusinessDate): number {
  return Number(date.slice(0, 4));
}
