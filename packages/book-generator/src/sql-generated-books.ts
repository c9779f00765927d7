import type { BookRecord } from '@cls/resource-api/journal-file/record';
import { writeBook } from '@cls/resource-api/posting/write-book';
import { type Database, isUniqueViolation, type Transaction } from '@cls/shared/sql/database';
import { rollback, tentativeTransaction } from '@cls/shared/sql/tentative-transaction';
import type { GeneratedBooks, GenerateResult, KnownAnswer } from './generated-books.ts';

type Outcome = GenerateResult['outcome'];

export function sqlGeneratedBooks(database: Database): GeneratedBooks {
  return {
    async write(records, answers, apply): Promise<GenerateResult> {
      const counts = { contracts: 0, journals: 0, postings: 0 };
      let compared = 0;
      let differing: readonly string[] = [];
      const result = (outcome: Outcome) => {
        return { outcome, ...counts, compared, differing };
      };
      try {
        const outcome = await tentativeTransaction<Outcome>(database, async (transaction) => {
          await writeBook(transaction, counted(records, counts));
          const known = answers();
          compared = known.length;
          differing = await compare(transaction, known);
          if (differing.length > 0) return rollback('wrong');
          return apply ? 'applied' : rollback('valid');
        });
        return result(outcome);
      } catch (error) {
        if (isUniqueViolation(error)) return result('generated_before');
        throw error;
      }
    },
  };
}

function* counted(
  records: Iterable<BookRecord>,
  counts: { contracts: number; journals: number; postings: number },
): Generator<BookRecord> {
  for (const record of records) {
    if (record.object === 'contract') counts.contracts += 1;
    if (record.object === 'journal') {
      counts.journals += 1;
      counts.postings += record.postings.length;
    }
    yield record;
  }
}

const AMOUNTS = [
  ['principalCash', 'principal_cash'],
  ['principalPik', 'principal_pik'],
  ['unfunded', 'unfunded'],
  ['letterOfCredit', 'letter_of_credit'],
  ['interestDue', 'interest_due'],
  ['originalCommitment', 'original_commitment'],
] as const satisfies readonly (readonly [keyof KnownAnswer, string])[];

/** The facilities whose newest balances are not what their answers say. */
async function compare(
  transaction: Transaction,
  answers: readonly KnownAnswer[],
): Promise<readonly string[]> {
  const columns = AMOUNTS.map(([, column]) => column);
  const rows = await transaction.query<{ id: string }>(
    `SELECT g.id
     FROM unnest($1::text[], ${columns.map((_, at) => `$${at + 2}::bigint[]`).join(', ')})
       AS g(id, ${columns.join(', ')})
     LEFT JOIN facility f ON f.id = g.id
     CROSS JOIN LATERAL (
       SELECT ${columns.map((name) => `coalesce(sum(b.${name}), 0) AS ${name}`).join(', ')}
       FROM balance_line l CROSS JOIN LATERAL (
         SELECT * FROM balance WHERE line_key = l.key
         ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b
       WHERE l.facility_key = f.key AND l.lender_key = 0
     ) h
     WHERE (${columns.map((name) => `h.${name}`).join(', ')})
       <> (${columns.map((name) => `g.${name}`).join(', ')})
     ORDER BY g.id`,
    [
      answers.map(({ facility }) => facility),
      ...AMOUNTS.map(([name]) => answers.map((answer) => answer[name])),
    ],
  );
  return rows.map(({ id }) => id);
}
