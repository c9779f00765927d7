import type { Transaction } from '@cls/shared/sql/database';
import type { JournalRecord } from '../journal-file/record.ts';
import { type Column, insertRows } from './insert-rows.ts';
import { columnsOf, FACTS, inherited, type StoredFacts } from './stored-fields.ts';

interface Dated {
  readonly effectiveDate: string;
  readonly seq: bigint;
}

type PostedJournal = Dated & {
  readonly [list in StoredFacts['list']]?: Readonly<JournalRecord[list]> | undefined;
};

const EFFECTIVE_DATE: Column<Dated> = {
  name: 'effective_date',
  type: 'date',
  value: ({ effectiveDate }) => effectiveDate,
};

/** Terms, names, rates and settled accruals that became known with journals which are posted already. */
export async function writeDatedFacts(
  transaction: Transaction,
  journals: readonly PostedJournal[],
): Promise<void> {
  for (const { list, of, table, columns } of TABLES) {
    const facts = journals.flatMap(({ [list]: items = [], effectiveDate, seq }) =>
      items.filter((item) => of.name in item).map((item) => ({ ...item, effectiveDate, seq })),
    );
    await insertRows(transaction, table, columns, facts);
  }
}

const TABLES = FACTS.map((facts) => ({ ...facts, columns: factColumns(facts) }));

function factColumns({ list, of, fields }: StoredFacts): readonly Column<Dated>[] {
  const own = columnsOf<Dated>(fields);
  // 0 stands for no contract: what accrues in the facility itself.
  const columns = list === 'terms' || list === 'details' ? own : own.map(orZero);
  return [
    ...columns,
    ...(of.name === 'deal' || of.name === 'party' ? [] : [inherited<Dated>('deal_key', of)]),
    ...(list === 'rates' ? [] : [EFFECTIVE_DATE]),
    { name: 'known_seq', type: 'bigint', value: ({ seq }) => seq },
  ];
}

function orZero<R>(column: Column<R>): Column<R> {
  return column.name === 'contract_key' ? { ...column, sql: `coalesce(${column.sql}, 0)` } : column;
}
