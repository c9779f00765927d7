import type {
  BookRecord,
  DealRecord,
  DetailsRecord,
  JournalRecord,
  PartyRecord,
  PositionRecord,
  PostingRecord,
  TermsRecord,
} from '@cls/resource-api/journal-file/record';
import { allocate } from '@cls/resource-api/ledger/allocate';
import { minorUnitDigits } from '@cls/resource-api/ledger/currency';
import type { LedgerAccount } from '@cls/resource-api/ledger/journal';
import { formatAmount, parseAmount } from '@cls/resource-api/ledger/money';
import type { KnownAnswer } from './generated-books.ts';
import { idsFor, type NewId } from './new-id.ts';
import { Random } from './random.ts';

const LENDERS = 40;
/** Keeps the ids apart from those of a book that is generated from the same seed. */
const SEED_OFFSET = 2 ** 31;
/** The other side of entries: a lender's part of it is what balances the rest of its line. */
const CONTRA: readonly LedgerAccount[] = [
  'CASH_CLEARING',
  'INTEREST_INCOME',
  'FEE_INCOME',
  'WRITE_OFF',
  'TRANSFER_CLEARING',
  'ADJUSTMENT_CLEARING',
  'FX_CLEARING',
  'MEMO',
];
const ANSWER_OF: Readonly<Partial<Record<LedgerAccount, keyof Totals>>> = {
  PRINCIPAL_CASH: 'principalCash',
  PRINCIPAL_PIK: 'principalPik',
  UNFUNDED: 'unfunded',
  LETTER_OF_CREDIT: 'letterOfCredit',
  INTEREST_DUE: 'interestDue',
  ORIGINAL_COMMITMENT: 'originalCommitment',
};

type Totals = { -readonly [Name in Exclude<keyof KnownAnswer, 'facility' | 'currency'>]: bigint };
interface Weight {
  readonly id: string;
  readonly weight: bigint;
}

/**
 * Copies imported deals into deals of many lenders: the global amounts are the real ones, split
 * over generated percentages. Copies what has an external id; records come in file order.
 */
export class BookSplitter {
  readonly #seed: number;
  readonly #random: Random;
  readonly #newId: NewId;
  readonly #lenders: readonly PartyRecord[];
  /** Ids of copies by those of the originals. */
  readonly #copies = new Map<string, string>();
  /** By the copied facility. */
  readonly #weights = new Map<string, readonly Weight[]>();
  readonly #answers = new Map<string, Totals & Pick<KnownAnswer, 'facility' | 'currency'>>();

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#newId = idsFor(seed + SEED_OFFSET);
    this.#lenders = Array.from({ length: LENDERS }, (_, n) => ({
      object: 'party',
      id: this.#newId('pty'),
      name: `Participant ${n + 1}`,
      externalIds: [],
    }));
  }

  /** Stand before all copies. */
  get lenders(): readonly PartyRecord[] {
    return this.#lenders;
  }

  /** What each copied facility must come to. */
  get answers(): readonly KnownAnswer[] {
    return [...this.#answers.values()];
  }

  /** The copies that an original record gives rise to. */
  copy(record: BookRecord): readonly BookRecord[] {
    switch (record.object) {
      case 'deal':
        return record.externalIds.length === 0 ? [] : [this.#copyDeal(record)];
      case 'facility': {
        const deal = this.#copies.get(record.deal);
        if (deal === undefined) return [];
        const id = this.#copyId(record.id, 'fac');
        const { currency } = record;
        this.#answers.set(id, { facility: id, currency, ...noTotals() });
        return [{ ...record, id, deal, externalIds: [] }, ...this.#syndicate(id, record.bookedOn)];
      }
      case 'contract': {
        const facility = this.#copies.get(record.facility);
        if (facility === undefined) return [];
        const { rolledFrom, ...rest } = record;
        const from = rolledFrom && this.#copies.get(rolledFrom);
        const id = this.#copyId(record.id, 'ctr');
        return [{ ...rest, id, facility, externalIds: [], ...(from ? { rolledFrom: from } : {}) }];
      }
      case 'journal':
        return this.#copyJournal(record);
      default:
        return [];
    }
  }

  #copyId(original: string, prefix: string): string {
    const id = this.#newId(prefix);
    this.#copies.set(original, id);
    return id;
  }

  #copyDeal(deal: DealRecord): DealRecord {
    const id = this.#copyId(deal.id, 'deal');
    const dealNumber = `SPLIT-${this.#seed}-${deal.dealNumber}`;
    return { ...deal, id, dealNumber, name: `${deal.name} (syndicated)`, externalIds: [] };
  }

  #syndicate(facility: string, bookedOn: PositionRecord['bookedOn']): readonly PositionRecord[] {
    const chosen = this.#random.some(this.#lenders, this.#random.between(2, 6));
    const weights = chosen.map(({ id }) => ({
      id,
      weight: BigInt(this.#random.between(1, 1_000_000)),
    }));
    this.#weights.set(facility, weights);
    return weights.map(({ id: lender }) => {
      const id = this.#newId('pos');
      return {
        object: 'position',
        id,
        facility,
        lender,
        kind: 'assignment',
        ...(bookedOn === undefined ? {} : { bookedOn }),
      };
    });
  }

  #copyJournal(journal: JournalRecord): readonly JournalRecord[] {
    const deal = this.#copies.get(journal.deal);
    const postings = journal.postings.filter(({ lender }) => lender === undefined);
    const details = this.#ownDetails(journal);
    const facts = [journal.terms, details, journal.rates, journal.settlements];
    // What moved between the original's lenders alone is nothing to the copy.
    if (deal === undefined || (postings.length === 0 && facts.every((some) => some.length === 0))) {
      return [];
    }
    const id = this.#copyId(journal.id, 'jrn');
    const { reverses, corrects, details: _, ...rest } = journal;
    const reversed = reverses && this.#copies.get(reverses);
    const corrected = corrects && this.#copies.get(corrects);
    const renamed = postings.map((posting) => this.#renamed(posting));
    for (const posting of renamed) this.#count(posting);
    return [
      {
        ...rest,
        id,
        deal,
        idempotencyKey: `split:${this.#seed}:${journal.idempotencyKey}`,
        ...(reversed ? { reverses: reversed } : {}),
        ...(corrected ? { corrects: corrected } : {}),
        postings: [...groupedByLine(renamed).values()].flatMap((line) => this.#split(line)),
        terms: journal.terms.map((terms): TermsRecord => this.#renamed(terms)),
        ...(details.length === 0 ? {} : { details }),
        rates: journal.rates.map((rate) => this.#renamed(rate)),
        settlements: journal.settlements.map((settled) => this.#renamed(settled)),
      },
    ];
  }

  /** The names of a copy; those of its parties are the originals'. */
  #ownDetails({ details = [] }: JournalRecord): DetailsRecord[] {
    return details.flatMap((one): DetailsRecord[] => {
      if ('party' in one) return [];
      const copy = this.#renamed(one);
      return 'deal' in copy ? [{ ...copy, name: `${copy.name} (syndicated)` }] : [copy];
    });
  }

  #renamed<R extends object>(record: R): R {
    const names = ['deal', 'facility', 'contract'] as const;
    const given = record as Readonly<Partial<Record<(typeof names)[number], string>>>;
    const renamed = names.flatMap((name) => {
      const original = given[name];
      return original === undefined ? [] : [[name, this.#copies.get(original) ?? original]];
    });
    return { ...record, ...Object.fromEntries(renamed) };
  }

  #count({ facility, account, amount, currency }: PostingRecord): void {
    const name = ANSWER_OF[account];
    const answer = this.#answers.get(facility);
    if (name !== undefined && answer !== undefined) answer[name] += minorOf(amount, currency);
  }

  /** The global postings of one line, and each lender's part of them. */
  #split(line: readonly PostingRecord[]): readonly PostingRecord[] {
    const { facility = '', currency = '' } = line[0] ?? {};
    const weights = this.#weights.get(facility) ?? [];
    const digits = minorUnitDigits(currency) ?? 0;
    const contra = line.findLastIndex(({ account }) => CONTRA.includes(account));
    const parts = line.map(({ amount }) => partsOf(minorOf(amount, currency), weights));
    return [
      ...line,
      ...weights.flatMap(({ id: lender }) => {
        const own = parts.map((part) => part.get(lender) ?? 0n);
        const others = own.reduce((sum, part, at) => (at === contra ? sum : sum + part), 0n);
        return line.flatMap((posting, at): PostingRecord[] => {
          const minor = at === contra ? -others : (own[at] ?? 0n);
          if (minor === 0n) return [];
          return [{ ...posting, lender, amount: formatAmount(minor, digits) }];
        });
      }),
    ];
  }
}

/** A negative amount is split as its opposite is. */
function partsOf(minor: bigint, weights: readonly Weight[]): ReadonlyMap<string, bigint> {
  const parts = allocate(minor < 0n ? -minor : minor, weights);
  return minor < 0n ? new Map([...parts].map(([id, part]) => [id, -part])) : parts;
}

function groupedByLine(
  postings: readonly PostingRecord[],
): ReadonlyMap<string, readonly PostingRecord[]> {
  const lines = new Map<string, PostingRecord[]>();
  for (const posting of postings) {
    const name = `${posting.facility} ${posting.contract ?? ''}`;
    lines.set(name, [...(lines.get(name) ?? []), posting]);
  }
  return lines;
}

function minorOf(amount: string, currency: string): bigint {
  return parseAmount(amount, minorUnitDigits(currency) ?? 0)?.amountMinor ?? 0n;
}

function noTotals(): Totals {
  return {
    principalCash: 0n,
    principalPik: 0n,
    unfunded: 0n,
    letterOfCredit: 0n,
    interestDue: 0n,
    originalCommitment: 0n,
  };
}
