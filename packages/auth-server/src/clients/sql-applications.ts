import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import { type Application, type ApplicationRecords, DEFAULT_SCOPES } from './application.ts';
import type { Logo } from './logo.ts';
import { type AddSecret, deleteUnusedClient, liveSecrets, setProof } from './sql-client-secrets.ts';

const SELECT = `
  SELECT a.id, a.name, a.first_party AS "firstParty", a.redirect_uris AS "redirectUris",
    a.post_logout_redirect_uris AS "postLogoutRedirectUris",
    a.backchannel_logout_uri AS "backchannelLogoutUri", a.device, a.scopes,
    a.without_pkce AS "withoutPkce", a.allowed_origins AS "allowedOrigins",
    a.disabled_at IS NOT NULL AS disabled, a.proof, a.links, a.logo_name AS logo,
    a.customer_id AS customer,
    EXISTS (SELECT FROM application_secret s WHERE s.application_id = a.id) AS "hadSecret",
    ${liveSecrets('application', 'a.id')} AS secrets
  FROM application a`;

const ID = /^app_[0-9A-Z]{26}$/;

/** @param secrets makes the secret of a confidential one. */
export function sqlApplications(
  database: Database,
  secrets: { readonly add: AddSecret },
): ApplicationRecords {
  return {
    async find(id) {
      if (!ID.test(id)) return undefined;
      return (await database.query<Application>(`${SELECT} WHERE a.id = $1`, [id]))[0];
    },
    async isAllowedOrigin(origin) {
      const found = await database.query(
        'SELECT FROM application WHERE $1 = ANY (allowed_origins) AND disabled_at IS NULL LIMIT 1',
        [origin],
      );
      return found.length === 1;
    },
    list: () => database.query<Application>(`${SELECT} ORDER BY a.name`),
    listOf: (customer, { after, limit }) =>
      database.query<Application>(
        `${SELECT} WHERE a.customer_id = $1 AND ($2::text IS NULL OR a.id > $2)
         ORDER BY a.id LIMIT $3`,
        [customer, after ?? null, limit],
      ),
    create: (application) =>
      database.transaction(async (transaction) => {
        const id = newId('app');
        await transaction.query(
          `INSERT INTO application (id, name, first_party, redirect_uris,
             post_logout_redirect_uris, backchannel_logout_uri, device, scopes, without_pkce,
             allowed_origins, links, customer_id, logo, logo_name)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, decode($13, 'base64'), $14)`,
          [
            id,
            application.name,
            application.firstParty,
            application.redirectUris,
            application.postLogoutRedirectUris,
            application.backchannelLogoutUri,
            application.device,
            application.scopes ?? DEFAULT_SCOPES,
            application.withoutPkce ?? false,
            application.allowedOrigins ?? [],
            JSON.stringify(application.links ?? {}),
            application.customer ?? null,
            ...logoValues(application.logo),
          ],
        );
        const { confidential, proof } = application;
        if (proof) await setProof(transaction, id, proof);
        const bySecret = confidential && proof?.token_endpoint_auth_method === undefined;
        return { id, secret: bySecret ? (await secrets.add(transaction, id)).secret : undefined };
      }),
    async findLogo(name) {
      const [found] = await database.query<{ logo: string }>(
        `SELECT encode(logo, 'base64') AS logo FROM application
         WHERE logo_name = $1 AND disabled_at IS NULL LIMIT 1`,
        [name],
      );
      return found && Buffer.from(found.logo, 'base64');
    },
    async setDisabled(id, disabled) {
      await database.query(
        'UPDATE application SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1',
        [id, disabled],
      );
    },
    update: (id, change) =>
      database.transaction(async (transaction) => {
        const { name, redirectUris, postLogoutRedirectUris, backchannelLogoutUri, scopes } = change;
        const { withoutPkce, allowedOrigins, links, logo, customer, proof } = change;
        await transaction.query(
          `UPDATE application SET
             name = coalesce($2, name), redirect_uris = coalesce($3, redirect_uris),
             post_logout_redirect_uris = coalesce($4, post_logout_redirect_uris),
             backchannel_logout_uri =
               CASE WHEN $5 THEN $6 ELSE backchannel_logout_uri END,
             scopes = coalesce($7, scopes), without_pkce = coalesce($8, without_pkce),
             allowed_origins = coalesce($9, allowed_origins), links = coalesce($10, links),
             customer_id = CASE WHEN $11 THEN $12 ELSE customer_id END,
             logo = CASE WHEN $13 THEN decode($14, 'base64') ELSE logo END,
             logo_name = CASE WHEN $13 THEN $15 ELSE logo_name END
           WHERE id = $1`,
          [
            ...[id, name ?? null, redirectUris ?? null, postLogoutRedirectUris ?? null],
            ...[backchannelLogoutUri !== undefined, backchannelLogoutUri ?? null, scopes ?? null],
            ...[withoutPkce ?? null, allowedOrigins ?? null, links ? JSON.stringify(links) : null],
            ...[customer !== undefined, customer ?? null],
            ...[logo !== undefined, ...logoValues(logo)],
          ],
        );
        if (proof !== undefined) await setProof(transaction, id, proof);
      }),
    deleteUnused: (id, auditDays) => deleteUnusedClient(database, id, auditDays),
  };
}

function logoValues(logo: Logo | null | undefined): readonly (string | null)[] {
  return [logo?.body.toString('base64') ?? null, logo?.name ?? null];
}
