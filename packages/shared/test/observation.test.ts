import { expect } from 'chai';
import { answerRecorder } from '../src/http/request-log.ts';
import { silentLog } from '../src/log.ts';
import { noMetrics } from '../src/metrics/metrics.ts';
import { observation } from '../src/service/observation.ts';
import { openTracing } from '../src/service/open-tracing.ts';
import { type Database, DatabaseUnavailable, SqlError } from '../src/sql/database.ts';
import { type Outcome, observedDatabase } from '../src/sql/observed-database.ts';

const answer = async () => [{ one: 1 }];
const database = {
  query: answer,
  execute: async () => undefined,
  transaction: (work: (inside: unknown) => unknown) =>
    work({ query: answer, execute: async () => undefined, inTransaction: true }),
} as unknown as Database;

describe('a service that nobody watches', () => {
  it('has its own database and handler, with nothing around them', async () => {
    const none = observation(noMetrics, await openTracing(undefined, 'x', new URL('file:///')));
    const handle = () => undefined;
    expect(none.database(database)).to.equal(database);
    expect(none.replica(database)).to.equal(database);
    expect(none.requests(handle)).to.equal(handle);
    expect(none.command).to.equal(undefined);
    const record = answerRecorder(silentLog, noMetrics, []);
    record({ method: 'GET', path: '/', status: 200 }, 0);
  });
});

describe('a database that is watched', () => {
  it('tells each statement and its end, those of transactions too', async () => {
    const told: string[] = [];
    const watched = observedDatabase(database, (text) => {
      told.push(text);
      return (outcome) => told.push(`${text} ${outcome}`);
    });
    expect(await watched.query('A')).to.deep.equal([{ one: 1 }]);
    await watched.transaction(async (inside) => {
      expect(inside.inTransaction).to.equal(true);
      await inside.query('B');
      await inside.execute('C');
    });
    expect(told).to.deep.equal(['A', 'A done', 'B', 'B done', 'C', 'C done']);
  });

  it('tells a transaction that did not begin, and no other twice', async () => {
    const told: string[] = [];
    const observe = (text: string) => (outcome: Outcome) => told.push(`${text} ${outcome}`);
    const refused = () => Promise.reject(new DatabaseUnavailable('the database opens no session'));
    const down = observedDatabase({ ...database, transaction: refused }, observe);
    await down.transaction(refused).catch(() => undefined);
    await observedDatabase(database, observe)
      .transaction((inside) => inside.query('A').then(refused))
      .catch(() => undefined);
    expect(told).to.deep.equal(['BEGIN unavailable', 'A done']);
  });

  it('tells a refusal from a database that does not answer', async () => {
    const outcomes: Outcome[] = [];
    for (const error of [new SqlError('x', '23505'), new DatabaseUnavailable('x')]) {
      const failing = { ...database, query: () => Promise.reject(error) } as Database;
      const watched = observedDatabase(failing, () => (outcome) => outcomes.push(outcome));
      await watched.query('A').catch((thrown: unknown) => expect(thrown).to.equal(error));
    }
    expect(outcomes).to.deep.equal(['refused', 'unavailable']);
  });
});
