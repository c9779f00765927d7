import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/server/migrations.ts';
import {
  applicationRecords,
  clientSecrets,
  serviceAccountRecords,
} from './support/client-records.ts';

const PROOF = {
  token_endpoint_auth_method: 'private_key_jwt',
  jwks_uri: 'https://client.example/jwks.json',
} as const;

describeOnDatabase('a change of the settings of a client and of how it proves itself', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    await database.query(`INSERT INTO customer (id, name) VALUES ('acme', 'Acme')`);
  });
  after(() => database?.close());

  const liveSecretsOf = async (clientId: string) =>
    (await clientSecrets(database).list(clientId)).filter(({ live }) => live).length;
  /** Makes the database refuse what is written last. */
  const refuseIn = (table: string, what: string) =>
    database.query(`ALTER TABLE ${table} ADD CONSTRAINT refused CHECK (${what}) NOT VALID`);
  const allowIn = (table: string) => database.query(`ALTER TABLE ${table} DROP CONSTRAINT refused`);
  const failed = (work: Promise<void>) =>
    work.then(
      () => false,
      () => true,
    );

  it('changes all of a service account, or nothing of it', async () => {
    const records = serviceAccountRecords(database);
    const { id } = await records.create({
      ...{ name: 'Reports', customer: 'acme', permissions: ['cls-deal.view'] },
    });
    const before = await records.find(id);
    const change = {
      name: 'Audits',
      permissions: ['external-api.fullcontrol'],
      proof: PROOF,
    } as const;
    for (const [table, what] of [
      ['service_account', 'proof IS NULL'],
      ['service_account_secret', 'expires_at IS NULL'],
    ] as const) {
      await refuseIn(table, what);
      expect(await failed(records.update(id, change)), table).to.equal(true);
      await allowIn(table);
      expect(await records.find(id)).to.deep.equal(before);
      expect(await liveSecretsOf(id)).to.equal(1);
    }
    await records.update(id, change);
    expect(await records.find(id)).to.deep.include(change);
    expect(await liveSecretsOf(id)).to.equal(0);
    await records.update(id, { proof: null });
    expect(await records.find(id)).to.deep.include({ name: 'Audits', proof: null });
  });

  it('changes all of an application, or nothing of it', async () => {
    const records = applicationRecords(database);
    const { id } = await records.create({
      ...{ name: 'Portal', firstParty: true, confidential: true, device: false },
      ...{ redirectUris: ['https://portal.example/'], postLogoutRedirectUris: [] },
      backchannelLogoutUri: null,
    });
    const before = await records.find(id);
    const change = { name: 'Desk', proof: PROOF } as const;
    for (const [table, what] of [
      ['application', 'proof IS NULL'],
      ['application_secret', 'expires_at IS NULL'],
    ] as const) {
      await refuseIn(table, what);
      expect(await failed(records.update(id, change)), table).to.equal(true);
      await allowIn(table);
      expect(await records.find(id)).to.deep.equal(before);
      expect(await liveSecretsOf(id)).to.equal(1);
    }
    await records.update(id, change);
    expect(await records.find(id)).to.deep.include(change);
    expect(await liveSecretsOf(id)).to.equal(0);
  });
});
