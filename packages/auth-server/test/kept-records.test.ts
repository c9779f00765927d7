import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { describeOnEngines } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import {
  cachedServiceAccountDirectory,
  SERVICE_ACCOUNT_AGE_MAX_MS,
} from '../src/clients/sql-service-accounts.ts';
import { sqlSigningKeyStore } from '../src/keys/sql-signing-keys.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { KEY } from './support/auth-server.ts';
import { serviceAccountRecords } from './support/client-records.ts';

describeOnEngines('what is kept in memory, with notices cut off', (engine) => {
  let database: Database;
  /** Listens, and never hears anything: a notice that is lost is not reported as lost. */
  let deaf: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    await database.query(`INSERT INTO customer (id, name) VALUES ('acme', 'Acme')`);
    deaf = { ...database, listen: async () => async () => undefined };
  });
  after(() => database?.close());

  const newAccount = () =>
    serviceAccountRecords(database).create({
      name: `account ${Math.random()}`,
      customer: 'acme',
      permissions: ['cls-deal.view'],
    });

  it('tells of a disabled service account five seconds after its reading began, at the latest', async () => {
    let now = 0;
    const directory = await cachedServiceAccountDirectory(deaf, () => now);
    const { id } = await newAccount();
    expect(await directory.find(id)).to.include({ disabled: false });
    await serviceAccountRecords(database).setDisabled(id, true);
    now = SERVICE_ACCOUNT_AGE_MAX_MS - 1;
    expect(await directory.find(id)).to.include({ disabled: false });
    now = SERVICE_ACCOUNT_AGE_MAX_MS;
    expect(await directory.find(id)).to.include({ disabled: true });
    expect(SERVICE_ACCOUNT_AGE_MAX_MS).to.equal(5_000);
  });

  it('tells so also where the reading itself took long, and where it is used all the time', async () => {
    let now = 0;
    const slow: Database = {
      ...deaf,
      query: async (sql, params) => {
        const rows = await database.query(sql, params);
        now += 3_000;
        return rows as never;
      },
    };
    const directory = await cachedServiceAccountDirectory(slow, () => now);
    const { id } = await newAccount();
    await directory.find(id);
    await serviceAccountRecords(database).setDisabled(id, true);
    for (const at of [3_500, 4_000, 4_500, 4_999]) {
      now = at;
      expect(await directory.find(id)).to.include({ disabled: false });
    }
    now = 5_000;
    expect(await directory.find(id)).to.include({ disabled: true });
  });

  it('tells of a disabled customer as soon', async () => {
    let now = 0;
    const directory = await cachedServiceAccountDirectory(deaf, () => now);
    const { id } = await newAccount();
    await directory.find(id);
    await database.query(`UPDATE customer SET disabled_at = now() WHERE id = 'acme'`);
    now = SERVICE_ACCOUNT_AGE_MAX_MS;
    expect(await directory.find(id)).to.include({ disabled: true });
    await database.query(`UPDATE customer SET disabled_at = NULL WHERE id = 'acme'`);
  });

  it('reads a service account once for all who ask meanwhile, and again after a change', async () => {
    let readings = 0;
    let announce: (payload: string) => void = () => undefined;
    const counted: Database = {
      ...deaf,
      listen: async (_, onMessage) => {
        announce = onMessage;
        return async () => undefined;
      },
      query: (sql, params) => {
        readings += 1;
        return database.query(sql, params);
      },
    };
    const { id } = await newAccount();
    const directory = await cachedServiceAccountDirectory(counted);
    const early = Array.from({ length: 64 }, () => directory.find(id));
    expect(readings).to.equal(1);
    await serviceAccountRecords(database).setDisabled(id, true);
    announce('callers');
    const late = directory.find(id);
    expect(readings).to.equal(2);
    await Promise.all(early);
    expect(await late).to.include({ disabled: true });
    expect(await directory.find(id), 'of what is kept').to.include({ disabled: true });
    expect(readings).to.equal(2);
  });

  it('asks again when a reading has failed', async () => {
    let fails = true;
    const failing: Database = {
      ...deaf,
      query: (sql, params) =>
        fails ? Promise.reject(new Error('no answer')) : database.query(sql, params),
    };
    const { id } = await newAccount();
    const directory = await cachedServiceAccountDirectory(failing);
    const outcome = await directory.find(id).catch((error: Error) => error.message);
    expect(outcome).to.equal('no answer');
    fails = false;
    expect(await directory.find(id)).to.include({ disabled: false });
  });

  it('uses changed signing keys after the next look at their list', async () => {
    const sealer = aesGcmSealer(new Secret(KEY));
    const store = sqlSigningKeyStore(deaf, sealer, 2048, 20);
    await store.load();
    let changes = 0;
    await store.onChange(() => {
      changes += 1;
    });
    await sqlSigningKeyStore(database, sealer, 2048).stage();
    await eventually(async () => expect(changes).to.be.greaterThan(0));
  });
});
