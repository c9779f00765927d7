/** A syndicate as one of the shapes in which lenders and agents state it, and what such a statement says. */
import type { Random } from '@cls/book-generator/random';
import { type ImportProfile, profileSchema } from '../../src/import/profile/profile.ts';
import { partyOf } from '../../src/import/statement/stated-party.ts';
import { allocate } from '../../src/ledger/allocate.ts';
import { minorUnitDigits } from '../../src/ledger/currency.ts';
import { FACILITY_TYPES } from '../../src/ledger/facility-type.ts';
import { formatAmount } from '../../src/ledger/money.ts';
import { type Deal, type Drawing, type Facility, LENDERS, type Parts, sumOf } from './syndicate.ts';

export interface Shape {
  /** Whose amounts a row has: each lender’s own, or those of all with a share, or with a file of shares; or of the only lender. */
  readonly rows: 'own' | 'share' | 'second' | 'plain';
  readonly unit: 'fraction' | 'percent' | 'amount';
  readonly limits: boolean;
  readonly undrawn: 'stated' | 'derived' | 'none';
  readonly split: boolean;
  readonly cumulative: boolean;
}

export function someShape(random: Random, plain: boolean): Shape {
  const limits = random.chance(0.6);
  return {
    rows: plain ? 'plain' : random.pick(['own', 'own', 'share', 'second']),
    unit: random.pick(['fraction', 'percent', ...(limits ? (['amount'] as const) : [])]),
    limits,
    undrawn: limits
      ? random.pick(['stated', 'derived'])
      : random.chance(0.4)
        ? 'stated'
        : ('none' as const),
    split: random.chance(0.4),
    cumulative: random.chance(0.3),
  };
}

export interface ToldDrawing {
  readonly number: string;
  readonly due: Parts;
  readonly rate: string;
}

export interface ToldFacility {
  readonly deal: string;
  readonly name: string;
  readonly currency: string;
  readonly drawings: readonly ToldDrawing[];
  readonly limit: Parts | undefined;
  readonly undrawn: { readonly whole: bigint; readonly parts: Parts | undefined } | undefined;
}

export interface Written {
  readonly profile: ImportProfile;
  readonly text: string;
  readonly shares: string | undefined;
  readonly told: readonly ToldFacility[];
  /** The rows of each deal, as one text. */
  readonly rowsOf: ReadonlyMap<string, string>;
}

const OWN = { externalId: 'OWN', name: 'Own Bank' };
const HEADERS = {
  asOf: 'Date',
  dealNumber: 'Deal',
  facilityNumber: 'Facility',
  loanNumber: 'Loan',
  dealName: 'Name',
  borrower: 'Borrower',
  countryCode: 'Country',
  currency: 'Currency',
  loanType: 'Type',
  status: 'Status',
  maturityDate: 'Maturity',
  rate: 'Rate',
  lender: 'Lender',
  lenderShare: 'Share',
  due: 'Balance',
  limit: 'Limit',
  undisbursed: 'Undrawn',
  disbursed: 'Drawn',
  repaid: 'Repaid',
} as const;
type Column = keyof typeof HEADERS;
type Cells = Partial<Record<Column, string>>;

function columnsOf({ rows, limits, undrawn, cumulative }: Shape): readonly Column[] {
  const left: Column[] = [
    ...(rows === 'plain' ? (['dealNumber', 'facilityNumber'] as const) : []),
    ...(rows === 'own' || rows === 'share' ? [] : (['lender'] as const)),
    ...(rows === 'share' ? [] : (['lenderShare'] as const)),
    ...(limits ? [] : (['limit'] as const)),
    ...(undrawn === 'stated' ? [] : (['undisbursed'] as const)),
    ...(cumulative ? [] : (['disbursed', 'repaid'] as const)),
  ];
  return (Object.keys(HEADERS) as Column[]).filter((column) => !left.includes(column));
}

export function profileOf(shape: Shape): ImportProfile {
  const { rows, unit, undrawn, split } = shape;
  const columns = Object.fromEntries(columnsOf(shape).map((one) => [one, [HEADERS[one]]]));
  return profileSchema.parse({
    name: `lenders-${rows}`,
    title: 'A syndicate',
    source: rows === 'plain' ? 'bilateral' : 'syndicate',
    columns,
    lender: OWN,
    facilityTypes: Object.fromEntries(FACILITY_TYPES.map((type) => [type, type])),
    statuses: { live: ['active', 'active', 'active'], done: ['matured', 'matured', 'repaid'] },
    ...(undrawn === 'derived' ? { derive: { undisbursed: 'limit - due' } } : { identities: [] }),
    ...(rows === 'plain' ? {} : { facilityAmounts: split ? 'split' : 'repeated' }),
    ...(rows === 'own' || rows === 'share' ? { rowIs: 'lender' } : {}),
    ...(rows === 'share' ? { shareUnit: unit } : {}),
    ...(rows === 'second'
      ? {
          shares: {
            unit,
            columns: {
              dealNumber: ['Deal'],
              facilityNumber: ['Facility'],
              lender: ['Lender'],
              share: ['Share'],
            },
          },
        }
      : {}),
    sanity: { many_loans_vanish: 'off' },
  });
}

/** Writes what is not hidden. @param random decides what a shape leaves open */
export function write(deals: readonly Deal[], asOf: string, shape: Shape, random: Random): Written {
  const profile = profileOf(shape);
  const columns = columnsOf(shape);
  const shareLines: string[] = [];
  const told: ToldFacility[] = [];
  const rowsOf = new Map<string, string>();
  for (const deal of deals) {
    const facilities = deal.facilities.filter(({ hidden }) => !hidden);
    if (deal.hidden) continue;
    for (const facility of facilities) {
      const one = new WrittenFacility(deal, facility, { asOf, shape, profile, random });
      const lines = one.rows.map((cells) => columns.map((column) => cells[column] ?? '').join(','));
      const key = shape.rows === 'plain' ? one.told.deal : deal.number;
      rowsOf.set(key, `${rowsOf.get(key) ?? ''}${lines.join('\n')}\n`);
      shareLines.push(...one.shareLines);
      told.push(one.told);
    }
  }
  const header = columns.map((column) => HEADERS[column]).join(',');
  return {
    profile,
    text: `${header}\n${[...rowsOf.values()].join('')}`,
    shares:
      shape.rows === 'second'
        ? ['Deal,Facility,Lender,Share', ...shareLines, ''].join('\n')
        : undefined,
    told,
    rowsOf,
  };
}

interface Writing {
  readonly asOf: string;
  readonly shape: Shape;
  readonly profile: ImportProfile;
  readonly random: Random;
}

/** One facility as rows. */
class WrittenFacility {
  readonly rows: readonly Cells[];
  readonly shareLines: string[] = [];
  readonly told: ToldFacility;
  readonly #deal: Deal;
  readonly #facility: Facility;
  readonly #writing: Writing;
  readonly #drawings: readonly Drawing[];

  constructor(deal: Deal, facility: Facility, writing: Writing) {
    this.#deal = deal;
    this.#facility = facility;
    this.#writing = writing;
    this.#drawings = facility.drawings.filter(({ hidden }) => !hidden);
    const { rows } = writing.shape;
    if (rows === 'plain') [this.rows, this.told] = this.#plain();
    else if (rows === 'own') [this.rows, this.told] = this.#own();
    else [this.rows, this.told] = this.#shared();
  }

  #common(): Cells {
    const { number, name, borrower, country } = this.#deal;
    const { currency, type, status, maturity } = this.#facility;
    return {
      asOf: this.#writing.asOf,
      dealNumber: number,
      facilityNumber: this.#facility.number,
      dealName: name,
      borrower,
      countryCode: country,
      currency,
      loanType: type,
      status,
      maturityDate: maturity,
    };
  }

  #amount(minor: bigint): string {
    return formatAmount(minor, minorUnitDigits(this.#facility.currency) ?? 2);
  }

  #plain(): readonly [Cells[], ToldFacility] {
    const { number, currency, limit, undrawn, drawings } = this.#facility;
    const loan = `${this.#deal.number}-${number}`;
    const whole = (part: 'due' | 'disbursed' | 'repaid') =>
      drawings.reduce((sum, drawing) => sum + sumOf(drawing[part].values()), 0n);
    const rate = drawings[0]?.rate ?? '1';
    const [due, most, left] = [whole('due'), sumOf(limit.values()), sumOf(undrawn.values())];
    const { shape } = this.#writing;
    const row: Cells = {
      ...this.#common(),
      loanNumber: loan,
      rate,
      due: this.#amount(due),
      limit: this.#amount(most),
      undisbursed: this.#amount(left),
      disbursed: this.#amount(whole('disbursed')),
      repaid: this.#amount(whole('repaid')),
    };
    const mine = (amount: bigint) => new Map([['Own Bank', amount]]);
    const free = shape.undrawn === 'derived' ? most - due : left;
    const told = {
      deal: loan,
      name: loan,
      currency,
      drawings: [{ number: loan, due: mine(due), rate }],
      limit: shape.limits ? mine(most) : undefined,
      undrawn: shape.undrawn === 'none' ? undefined : { whole: free, parts: mine(free) },
    };
    return [[row], told];
  }

  /** A lender without a part of any drawing stands in one of them with nothing. */
  #own(): readonly [Cells[], ToldFacility] {
    const { limit, undrawn } = this.#facility;
    const { shape, random } = this.#writing;
    const places = new Map<string, (Drawing | undefined)[]>();
    const lenders = new Set([
      ...limit.keys(),
      ...this.#drawings.flatMap(({ due }) => [...due.keys()]),
    ]);
    for (const lender of lenders) {
      const own = this.#drawings.filter(({ due }) => due.has(lender));
      places.set(lender, own.length > 0 ? own : [random.some(this.#drawings, 1)[0]]);
    }
    const rows = [...places].flatMap(([lender, own]) =>
      own.map((drawing, at) => {
        // A part of a facility: all of it in each row, or some in each.
        const part = (whole = 0n) => {
          if (!shape.split) return whole;
          const each = whole / BigInt(own.length);
          return at === 0 ? whole - each * BigInt(own.length - 1) : each;
        };
        return {
          ...this.#common(),
          loanNumber: drawing?.number ?? '',
          rate: drawing?.rate ?? '',
          lender,
          due: this.#amount(drawing?.due.get(lender) ?? 0n),
          limit: this.#amount(part(limit.get(lender))),
          undisbursed: this.#amount(part(undrawn.get(lender))),
          disbursed: this.#amount(drawing?.disbursed.get(lender) ?? 0n),
          repaid: this.#amount(drawing?.repaid.get(lender) ?? 0n),
        };
      }),
    );
    const drawings = this.#drawings.filter((one) =>
      rows.some((row) => row.loanNumber === one.number),
    );
    const drawn = (lender: string) =>
      drawings.reduce((sum, { due }) => sum + (due.get(lender) ?? 0n), 0n);
    const free = new Map(
      [...lenders].map((one) => [
        one,
        shape.undrawn === 'derived'
          ? (limit.get(one) ?? 0n) - drawn(one)
          : (undrawn.get(one) ?? 0n),
      ]),
    );
    return [rows, this.#told(drawings, (amounts) => amounts, free)];
  }

  /** Rows have amounts of all lenders. */
  #shared(): readonly [Cells[], ToldFacility] {
    const { limit, undrawn } = this.#facility;
    const { shape, profile } = this.#writing;
    const weights = this.#weights();
    const whole = (parts: Parts) => sumOf(parts.values());
    const rows: Cells[] = [];
    const states: readonly (Drawing | undefined)[] =
      this.#drawings.length > 0 ? this.#drawings : [undefined];
    for (const [at, drawing] of states.entries()) {
      const part = (parts: Parts) => this.#amount(shape.split && at > 0 ? 0n : whole(parts));
      const row = {
        ...this.#common(),
        loanNumber: drawing?.number ?? '',
        rate: drawing?.rate ?? '',
        due: this.#amount(whole(drawing?.due ?? new Map())),
        limit: part(limit),
        undisbursed: part(undrawn),
        disbursed: this.#amount(whole(drawing?.disbursed ?? new Map())),
        repaid: this.#amount(whole(drawing?.repaid ?? new Map())),
      };
      if (shape.rows === 'second') rows.push(row);
      else
        for (const [lender, text] of weights.texts)
          rows.push({ ...row, lender, lenderShare: text });
    }
    if (shape.rows === 'second') {
      const { number } = this.#facility;
      for (const [lender, text] of weights.texts) {
        this.shareLines.push([this.#deal.number, number, lender, text].join(','));
      }
    }
    const spread = (amounts: Parts) => {
      const total = whole(amounts);
      const size = total < 0n ? -total : total;
      const refs = new Map(LENDERS.map((name) => [partyOf(name, profile).ref, name]));
      const ids = [...weights.parts].map(([lender, weight]) => ({
        id: partyOf(lender, profile).ref,
        weight,
      }));
      const parts = allocate(size, ids);
      return new Map(
        [...parts].map(([ref, part]) => [refs.get(ref) ?? ref, total < 0n ? -part : part]),
      );
    };
    return [rows, this.#told(this.#drawings, spread, undefined)];
  }

  #told(
    drawings: readonly Drawing[],
    spread: (amounts: Parts) => Parts,
    free: Parts | undefined,
  ): ToldFacility {
    const { number, currency, limit, undrawn } = this.#facility;
    const { shape } = this.#writing;
    const whole = (parts: Parts) => sumOf(parts.values());
    const drawn = drawings.reduce((sum, { due }) => sum + whole(due), 0n);
    const left = shape.undrawn === 'derived' ? whole(limit) - drawn : whole(free ?? undrawn);
    return {
      deal: this.#deal.number,
      name: number,
      currency,
      drawings: drawings.map(({ number, due, rate }) => ({
        number,
        due: new Map(spread(due)),
        rate,
      })),
      limit: shape.limits ? new Map(spread(limit)) : undefined,
      undrawn: shape.undrawn === 'none' ? undefined : { whole: left, parts: free },
    };
  }

  /** Thirds, sevenths and such, which leave remainders. */
  #weights(): { readonly parts: Parts; readonly texts: ReadonlyMap<string, string> } {
    const { limit } = this.#facility;
    const { shape, random } = this.#writing;
    if (shape.unit === 'amount' && sumOf(limit.values()) > 0n) {
      return {
        parts: limit,
        texts: new Map([...limit].map(([one, part]) => [one, this.#amount(part)])),
      };
    }
    const lenders = [...limit.keys()];
    const whole = 1_000_000n;
    const each = whole / BigInt(lenders.length) - BigInt(random.between(0, 999));
    const parts = new Map(lenders.map((lender) => [lender, each]));
    const [first = ''] = lenders;
    parts.set(first, whole - each * BigInt(lenders.length - 1));
    const decimals = shape.unit === 'percent' ? 4 : 6;
    const texts = [...parts].map(([one, part]) => [one, formatAmount(part, decimals)] as const);
    return { parts, texts: new Map(texts) };
  }
}
