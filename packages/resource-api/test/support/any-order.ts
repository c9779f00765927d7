import type { Random } from '@cls/book-generator/random';
import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import type { BookRecord, JournalRecord } from '../../src/journal-file/record.ts';
import { loadRecords } from './generated.ts';

const REVERSALS = 12;

/**
 * Posts journals of a book in any order, in transactions of any size; then corrections and more
 * reversals, and journals that follow, in their order.
 */
export async function postInAnyOrder(
  database: Database,
  records: readonly BookRecord[],
  following: readonly JournalRecord[],
  random: Random,
): Promise<void> {
  const journals = records.filter((record) => record.object === 'journal').map(ofAnotherSystem);
  const first = shuffled(
    journals.filter(({ reverses, corrects }) => !reverses && !corrects),
    random,
  );
  const later = journals.filter(({ reverses, corrects }) => reverses || corrects);
  const reversed = new Set(later.map(({ reverses }) => reverses));
  const taken = first.filter(({ id }) => !reversed.has(id)).slice(0, REVERSALS);
  const again = taken.map(reversalOf);
  await loadRecords(
    database,
    records.filter((record) => record.object !== 'journal'),
  );
  const rest: JournalRecord[] = [
    ...first,
    ...later,
    ...again,
    ...again.slice(0, 4).map(reversalOf),
    ...following,
  ];
  while (rest.length > 0) {
    await loadRecords(database, rest.splice(0, random.pick([1, 1, 7, 60])));
  }
}

/**
 * Bills in any order settle other days than they were made for. CLS makes none like that, so they are
 * another system's, which `reconcile` does not judge.
 */
function ofAnotherSystem(journal: JournalRecord): JournalRecord {
  const { id, settlements } = journal;
  return settlements.length === 0 ? journal : { ...journal, idempotencyKey: `other:${id}` };
}

/** A lender of the book. */
export function lenderOf(records: readonly BookRecord[]): string {
  const position = records.find((record) => record.object === 'position');
  if (position === undefined) throw new Error('the book has no lenders');
  return position.lender;
}

export function reversalOf(journal: JournalRecord): JournalRecord {
  const { corrects: _, ...same } = journal;
  const id = newId('jrn');
  const turned = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);
  return {
    ...same,
    ...{ id, idempotencyKey: id, reverses: journal.id },
    postings: journal.postings.map((posting) => ({ ...posting, amount: turned(posting.amount) })),
  };
}

/** Some come late, and some are taken back, or taken back and given again. */
export function mostlyInOrder(
  journals: readonly JournalRecord[],
  chance: number,
  random: Random,
): JournalRecord[] {
  const named = new Set(journals.flatMap(({ reverses, corrects }) => reverses ?? corrects ?? []));
  const placed = journals.map(ofAnotherSystem).flatMap((journal, index) => {
    const others = named.has(journal.id) || journal.reverses !== undefined;
    const late = !others && random.chance(chance) ? index + random.between(1, 200) : index;
    if (others || !random.chance(chance)) return [[late, journal] as const];
    const back = reversalOf(journal);
    const again = random.chance(0.5) ? [[late + 90, reversalOf(back)] as const] : [];
    return [[late, journal] as const, [late + random.between(1, 80), back] as const, ...again];
  });
  return placed.sort(([a], [b]) => a - b).map(([, journal]) => journal);
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const keyed = values.map((value) => [random.between(0, 1_000_000), value] as const);
  return keyed.sort(([a], [b]) => a - b).map(([, value]) => value);
}
