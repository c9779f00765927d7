import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeStore } from '@cls/testing/embedded-template';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { DirectoryInUse } from '../src/embedded/directory-lock.ts';
import {
  openEmbeddedDatabase,
  openEmbeddedDatabaseAsOperator,
} from '../src/embedded/embedded-database.ts';
import { holderAddress } from '../src/embedded/holder-socket.ts';
import type { Database } from '../src/sql/database.ts';

describe('an embedded database directory', () => {
  let directory: string;
  let holder: Database;
  before(async () => {
    directory = join(temporaryDirectory('cls-embedded-'), 'database');
    await makeStore(directory);
    holder = await openEmbeddedDatabase(directory);
    await holder.execute('CREATE TABLE item (id bigint PRIMARY KEY)');
  });
  after(() => holder.close());

  it('is refused to a second process, naming the first', async () => {
    const refused = await openEmbeddedDatabase(directory).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DirectoryInUse);
    expect(String(refused)).to.include(`process ${process.pid}`).and.include('CLS_DATA_DIR');
  });

  it('is open to the operator through the process that holds it', async () => {
    const operator = await openEmbeddedDatabaseAsOperator(directory);
    await operator.transaction(async (transaction) => {
      await transaction.query('INSERT INTO item VALUES ($1)', [9007199254740993n]);
    });
    expect(await holder.query('SELECT id FROM item')).to.deep.equal([{ id: 9007199254740993n }]);
    await operator.close();
  });

  it('rolls back an operator’s transaction whose process goes away', async () => {
    const operator = await openEmbeddedDatabaseAsOperator(directory);
    const abandoned = operator.transaction(async (transaction) => {
      await transaction.query('INSERT INTO item VALUES (77)');
      await operator.close();
      await transaction.query('SELECT 1');
    });
    await abandoned.catch(() => undefined);
    expect(await holder.query('SELECT 1 AS found FROM item WHERE id = 77')).to.deep.equal([]);
  });

  it('goes on when an operator goes away while it waits for its transaction to begin', async () => {
    const operator = await openEmbeddedDatabaseAsOperator(directory);
    let release: () => void = () => undefined;
    const held = holder.transaction(
      () =>
        new Promise<void>((done) => {
          release = done;
        }),
    );
    const waiting = operator.transaction((transaction) => transaction.query('SELECT 1'));
    await new Promise((done) => setTimeout(done, 100));
    await operator.close();
    release();
    await Promise.allSettled([held, waiting]);
    expect(await holder.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    // Less than an abandoned transaction would be kept.
  }).timeout(120_000);

  it('cuts off a stranger who announces a large frame, or says nothing', async () => {
    for (const bytes of [Buffer.from([3, 255, 255, 255]), Buffer.alloc(0)]) {
      const socket = connect(holderAddress(directory));
      socket.on('error', () => undefined);
      await new Promise<void>((done) => {
        socket.once('close', () => done());
        socket.once('connect', () => socket.write(bytes));
        socket.resume();
      });
    }
  });

  it('turns away a connection without the operator’s token', async () => {
    const other = join(temporaryDirectory('cls-embedded-'), 'database');
    await makeStore(other);
    const database = await openEmbeddedDatabase(other);
    writeFileSync(join(other, 'operator-token'), Buffer.alloc(32, 7));
    const refused = await openEmbeddedDatabaseAsOperator(other).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error).with.property('name', 'DatabaseUnavailable');
    await database.close();
  });

  it('keeps every acknowledged write when its process is killed, and opens again', async () => {
    const place = join(temporaryDirectory('cls-embedded-'), 'database');
    await makeStore(place);
    const writer = fork(new URL('./support/embedded-writer.js', import.meta.url), [place]);
    let acknowledged = 0;
    await new Promise<void>((resolve) => {
      writer.on('message', (count) => {
        acknowledged = count as number;
        if (acknowledged >= 500) writer.kill('SIGKILL');
      });
      writer.on('exit', () => resolve());
    });
    const database = await openEmbeddedDatabase(place);
    const [row] = await database.query<{ most: number }>('SELECT max(id)::int AS most FROM item');
    expect(row?.most).to.be.at.least(acknowledged);
    await database.close();
  });
});
