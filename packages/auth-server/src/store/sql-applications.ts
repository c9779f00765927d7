import { randomBytes } from 'node:crypto';
import { newId } from '@cls/shared/new-id';
import { Secret } from '@cls/shared/secret';
import type { Database, Transaction } from '@cls/shared/sql/database';
import type { Application, ApplicationRecords } from '../clients/application.ts';
import { hashClientSecret } from './sql-service-accounts.ts';

const SELECT = `
  SELECT a.id, a.name, a.first_party AS "firstParty", a.redirect_uris AS "redirectUris",
    a.post_logout_redirect_uris AS "postLogoutRedirectUris",
    a.backchannel_logout_uri AS "backchannelLogoutUri", a.device,
    a.disabled_at IS NOT NULL AS disabled,
    coalesce((
      SELECT jsonb_agg(jsonb_build_object(
        'sha256', sha256, 'expiresAtS', extract(epoch FROM expires_at)) ORDER BY sha256)
      FROM application_secret
      WHERE application_id = a.id AND (expires_at IS NULL OR expires_at > now())
    ), '[]') AS secrets
  FROM application a`;

interface Row extends Omit<Application, 'secrets'> {
  readonly secrets: readonly { sha256: string; expiresAtS: number | null }[];
}

const ID = /^app_[0-9A-Z]{26}$/;

export function sqlApplications(database: Database): ApplicationRecords {
  return {
    async find(id) {
      if (!ID.test(id)) return undefined;
      const [row] = await database.query<Row>(`${SELECT} WHERE a.id = $1`, [id]);
      return row && toApplication(row);
    },
    list: async () => (await database.query<Row>(`${SELECT} ORDER BY a.name`)).map(toApplication),
    create: (application) =>
      database.transaction(async (transaction) => {
        const id = newId('app');
        await transaction.query(
          `INSERT INTO application (id, name, first_party, redirect_uris,
             post_logout_redirect_uris, backchannel_logout_uri, device)
           VALUES ($1, $2, $3, $4, $5, $6, $7)`,
          [
            id,
            application.name,
            application.firstParty,
            application.redirectUris,
            application.postLogoutRedirectUris,
            application.backchannelLogoutUri,
            application.device,
          ],
        );
        const secret = application.confidential ? await addSecret(transaction, id) : undefined;
        return { id, secret };
      }),
    async setDisabled(id, disabled) {
      await database.query(
        'UPDATE application SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1',
        [id, disabled],
      );
    },
  };
}

async function addSecret(transaction: Transaction, applicationId: string): Promise<Secret> {
  const secret = randomBytes(32).toString('base64url');
  await transaction.query(
    'INSERT INTO application_secret (sha256, application_id) VALUES ($1, $2)',
    [hashClientSecret(secret), applicationId],
  );
  return new Secret(secret);
}

function toApplication(row: Row): Application {
  return {
    ...row,
    secrets: row.secrets.map(({ sha256, expiresAtS }) => ({
      sha256,
      ...(expiresAtS === null ? {} : { expiresAt: new Date(expiresAtS * 1000) }),
    })),
  };
}
