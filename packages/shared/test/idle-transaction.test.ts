import { expect } from 'chai';
import { type Channel, databaseOver, serveDatabase } from '../src/embedded/database-rpc.ts';
import { pgliteDatabase } from '../src/embedded/pglite.ts';
import type { Database, Sql, SqlError } from '../src/sql/database.ts';

/** Both ends of a channel in this process. */
function channels(): [Channel, Channel] {
  const handlers: ((message: unknown) => void)[] = [];
  const end = (own: number, other: number): Channel => ({
    send: (message) => void setImmediate(() => handlers[other]?.(message)),
    onMessage: (handle) => {
      handlers[own] = handle;
    },
    onClose: () => undefined,
    close: () => undefined,
  });
  return [end(0, 1), end(1, 0)];
}

describe('a transaction of an embedded database', () => {
  let pglite: Database;
  before(async () => {
    pglite = await pgliteDatabase('memory://');
    await pglite.execute('CREATE TABLE item (id integer)');
  });
  after(() => pglite.close());

  /** The database with a transaction in which the statement `-- slow` takes `slowMs`. */
  const served = (idleMs: number, slowMs = 0): Database => {
    const slowly = <S extends Sql>(sql: S): S => ({
      ...sql,
      async query<Row>(...[text, params]: Parameters<Sql['query']>) {
        if (text.includes('-- slow')) await new Promise((done) => setTimeout(done, slowMs));
        return sql.query<Row>(text, params);
      },
    });
    const [client, server] = channels();
    const database: Database = {
      ...pglite,
      transaction: (work, options) =>
        pglite.transaction((transaction) => work(slowly(transaction)), options),
    };
    serveDatabase(database, server, idleMs);
    return databaseOver(client);
  };

  it('outlives a statement that takes longer than it may be idle', async () => {
    const database = served(5_000, 5_500);
    await database.transaction(async (transaction) => {
      await transaction.query('INSERT INTO item VALUES (1) -- slow');
      await transaction.query('INSERT INTO item VALUES (2)');
    });
    expect(await pglite.query('SELECT id FROM item WHERE id < 3 ORDER BY id')).to.have.length(2);
  });

  it('is rolled back once it was idle for too long, and says so', async () => {
    const database = served(50);
    const refused: SqlError = await database
      .transaction(async (transaction) => {
        await transaction.query('INSERT INTO item VALUES (3)');
        await new Promise((done) => setTimeout(done, 500));
        await transaction.query('INSERT INTO item VALUES (4)');
      })
      .then(() => expect.fail('committed'))
      .catch((error: unknown) => error as SqlError);
    expect(refused.message).to.equal('the transaction was idle for 50 ms and is rolled back');
    expect(refused.code).to.equal('25P03');
    expect(await pglite.query('SELECT id FROM item WHERE id > 2')).to.deep.equal([]);
  });
});
