import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlFactors } from '../src/factors/sql-factors.ts';
import { sqlTotpFactors } from '../src/factors/sql-totp-factors.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { totpCode } from './support/auth-server.ts';

const ACCOUNTS = ['A', 'B', 'C'].map((letter) => `acc_${letter.repeat(26)}`);
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

describeOnEngines('authenticator apps enrolled before factors had names', (engine) => {
  it('go on working, each under one name', async () => {
    const database = await engine.open();
    try {
      const migrations = readMigrations(MIGRATIONS);
      await migrate(database, migrations.slice(0, 3));
      const sealer = aesGcmSealer(new Secret('A'.repeat(43)));
      await database.query(`INSERT INTO customer (id, name) VALUES ('india', 'India')`);
      for (const id of ACCOUNTS) {
        await database.query(
          `INSERT INTO account (id, email, customer_id, permissions, password_hash)
           VALUES ($1, lower($1) || '@india.example', 'india', '{cls-deal.view}', 'hash')`,
          [id],
        );
        await database.query(
          `INSERT INTO totp_factor (account_id, sealed_secret, created_at)
           VALUES ($1, $2, '2026-01-02T03:04:05Z')`,
          [id, sealer.seal(SECRET, `totp_factor:${id}`)],
        );
      }
      await migrate(database, migrations);
      const totp = sqlTotpFactors(database, sealer, { now: () => new Date() });
      for (const id of ACCOUNTS) {
        const [factor, ...more] = await sqlFactors(database).list(id);
        expect(more).to.deep.equal([]);
        expect(factor).to.deep.include({ kind: 'totp', name: 'Authenticator app' });
        expect(factor?.id).to.match(/^fac_[0-9A-Z]{26}$/);
        expect(factor?.addedAt.toISOString()).to.equal('2026-01-02T03:04:05.000Z');
        expect(await totp.accept(id, totpCode(SECRET), 'sign-in')).to.equal('accepted');
      }
    } finally {
      await database.close();
    }
  });
});
