import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { bytesSource } from '../../src/import/file/bytes-source.ts';
import type { StatementSource } from '../../src/import/file/table.ts';
import { importTape, MARCH } from '../support/lenders-statement.ts';

describeOnDatabase('a file that is read more than once', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  const dealCount = async () =>
    (await database.query<{ n: number }>('SELECT count(*)::int AS n FROM deal'))[0]?.n;

  it('is refused whole where it changes meanwhile', async () => {
    const cut = MARCH.split('\n').slice(0, 4).join('\n');
    let text = MARCH;
    const source: StatementSource = {
      name: 'changing.csv',
      size: MARCH.length,
      async *bytes(start = 0, end = MARCH.length) {
        yield Buffer.from(text).subarray(start, end);
      },
    };
    const onProgress = () => {
      text = cut;
    };
    const report = await importTape(database, '', '2025-03-31', { source, onProgress });
    expect(report.faults.map(({ code }) => code)).to.deep.equal(['file_changed']);
    expect(await dealCount()).to.equal(0);
  });

  it('is refused with a report where it is damaged', async () => {
    const source = bytesSource('damaged.csv.gz', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
    const report = await importTape(database, '', '2025-03-31', { source });
    expect([report.outcome, report.faultCount]).to.deep.equal(['refused', 1]);
    expect(await dealCount()).to.equal(0);
  });
});
