// What the shipped roles may do with every table and view, as PostgreSQL says it and as it acts.
// A new table fails here until somebody has decided who may change its rows.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { silentLog } from '../../packages/shared/dist/src/log.js';
import { openDatabaseAsOperator } from '../../packages/shared/dist/src/service/open-database.js';
import { readSchema } from '../../packages/shared/dist/src/sql/migrate.js';
import { postgresAsService, requireServer } from '../../packages/testing/dist/src/engines.js';
import { postgresServer, temporaryDirectory } from '../../packages/testing/dist/src/servers.js';

const words = (text) => text.trim().split(/\s+/);
/** By what the service's role may do besides SELECT; a column's name where UPDATE is for it alone. */
const SERVICES = {
  auth: {
    folder: 'auth-server',
    'INSERT UPDATE DELETE': words(`account account_link application application_grant
      application_secret client_secret_key consent customer customer_notice ended_account factor known_address logout_notice
      passkey protocol_state recovery_code recovery_code_key remembered_device revoked_grant security_contact service_account
      service_account_secret signed_in_session signing_key task_run throttle token_index token_status token_use totp_factor upstream_link
      upstream_provider used_account_link`),
    'INSERT DELETE': ['audit_event', 'audit_event_name'],
    DELETE: ['erased_identity'],
    '': ['audit_link', 'audit_month', 'schema_migration', 'schema_step'],
  },
  api: {
    folder: 'resource-api',
    // The ledger, and all that follows from it: added to, never changed.
    INSERT: words(`accrual_settlement balance balance_line book_date book_restore book_total
      contract_terms deal deal_details deal_terms deal_word entitlement external_id facility
      facility_details facility_terms fx_rate import_source item_life journal journal_hash journal_standing
      late_accrual_fact party party_details party_word period_close posting presence rate_period
      read_log reported_date sort_amount sort_label task_run version_retirement`),
    'INSERT UPDATE(reverted_at)': ['import_batch'],
    'INSERT UPDATE(parent_key)': ['lender_position'],
    'INSERT UPDATE(rolled_from_key)': ['loan_contract'],
    'INSERT UPDATE': words(
      'book_state grant_change version_notice version_usage version_usage_source',
    ),
    'INSERT UPDATE DELETE': ['import_job', 'import_profile', 'notice_contact'],
    'INSERT DELETE': ['entitlement_rule', 'import_job_part'],
    '': words(`read_log_day schema_migration schema_step
      commitment_event deal_grant deal_now due_item sorted_item`),
  },
  explorer: {
    folder: 'explorer',
    'INSERT UPDATE DELETE': ['explorer_once', 'explorer_session'],
    '': ['schema_migration'],
  },
};

for (const [service, { folder, ...rights }] of Object.entries(SERVICES)) {
  const role = `cls_${service}_service`;

  describe(`the role ${role} [PostgreSQL]`, () => {
    let database;
    let tables;
    before(async function () {
      requireServer(this, 'PostgreSQL', await postgresServer());
      const location = await postgresAsService(role).createLocation();
      const schema = readSchema(new URL(`../../packages/${folder}/migrations/`, import.meta.url));
      database = await openDatabaseAsOperator(location, 'roles', silentLog, schema);
      tables = await database.query(TABLES);
    });
    after(() => database?.close());

    it('may do with each table what is written here, and with no table more', () => {
      const found = Object.fromEntries(
        tables.filter(({ partition }) => !partition).map(({ name, may }) => [name, may]),
      );
      const wanted = Object.fromEntries(
        Object.entries(rights).flatMap(([may, names]) =>
          names.map((name) => [name, ['SELECT', ...words(may)].filter(Boolean).join(' ')]),
        ),
      );
      expect(found).to.deep.equal(wanted);
    });

    it('may do nothing with a partition but through its table', () => {
      const open = tables.filter(({ partition, may }) => partition && may !== '');
      expect(open).to.deep.equal([]);
    });

    it('is refused what it may not do, table by table', async () => {
      for (const { name, isTable, column, may } of tables) {
        const rest = {
          INSERT: `INSERT INTO ${name} SELECT * FROM ${name} WHERE false`,
          UPDATE: `UPDATE ${name} SET ${column} = ${column} WHERE false`,
          DELETE: `DELETE FROM ${name} WHERE false`,
        };
        const statements = Object.entries(rest)
          .filter(([right]) => !words(may).includes(right))
          .map(([, statement]) => statement);
        if (isTable) {
          statements.push(
            `TRUNCATE ${name} CASCADE`,
            `ALTER TABLE ${name} DISABLE TRIGGER ALL`,
            `ALTER TABLE ${name} DISABLE ROW LEVEL SECURITY`,
            `ALTER TABLE ${name} ADD COLUMN own int`,
            `CREATE TRIGGER own BEFORE INSERT ON ${name} EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
            `DROP TABLE ${name} CASCADE`,
          );
        }
        for (const statement of statements) {
          const refused = await database.execute(statement).catch((error) => error);
          // 55000: a view that nobody can write.
          expect(refused.code, statement).to.be.oneOf(isTable ? ['42501'] : ['42501', '55000']);
        }
      }
    });

    it('owns nothing, can make nothing, and cannot become a role that does', async () => {
      const [found] = await database.query(OWNED);
      expect(found).to.deep.equal({
        ...{ superuser: false, createrole: false, createdb: false, bypassrls: false },
        ...{ creates: false, relations: 0n, routines: 0n },
        roles: service === 'api' ? ['cls_reader'] : [],
      });
    });
  });
}

describe('deploy/roles.sql [PostgreSQL]', () => {
  it('is run, and run again, by an administrator who may make roles and databases, and is no superuser', async function () {
    const server = await postgresServer();
    requireServer(this, 'PostgreSQL', server);
    const folder = temporaryDirectory('cls-roles-');
    const fileOf = (text) => {
      writeFileSync(join(folder, 'script.sql'), text);
      return join(folder, 'script.sql');
    };
    // Roles belong to the whole server, and those of the file may be there already.
    const shipped = readFileSync(new URL('../../deploy/roles.sql', import.meta.url), 'utf8');
    const text = shipped.replaceAll(/\bcls_/g, 'own_');
    server.runScript(fileOf('CREATE ROLE own_admin LOGIN CREATEROLE CREATEDB'));
    try {
      server.runScript(fileOf(text), 'own_admin');
      server.runScript(fileOf(text), 'own_admin');
    } finally {
      server.runScript(fileOf(DROPPED));
    }
  });
});

/** Since PostgreSQL 16, the administrator stays until what it granted is gone. */
const DROPPED = `
  SELECT format('DROP DATABASE %I', datname) FROM pg_database WHERE datname LIKE 'own\\_%' \\gexec
  SELECT format('DROP ROLE %I', rolname) FROM pg_roles WHERE rolname LIKE 'own\\_%'
  ORDER BY rolname = 'own_admin' \\gexec`;

/** The first column that is not generated stands for all in an UPDATE; its own rights are listed. */
const TABLES = `
  SELECT c.relname AS name, c.relkind IN ('r', 'p') AS "isTable", c.relispartition AS partition,
    (SELECT quote_ident(attname) FROM pg_attribute
     WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''
       AND NOT has_column_privilege(c.oid, attname, 'UPDATE')
     ORDER BY attnum LIMIT 1) AS column,
    concat_ws(' ', (
      SELECT string_agg(right_name, ' ' ORDER BY place)
      FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'])
        WITH ORDINALITY AS rights (right_name, place)
      WHERE has_table_privilege(c.oid, right_name)
    ), (
      SELECT 'UPDATE(' || string_agg(attname, ',' ORDER BY attnum) || ')' FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
        AND NOT has_table_privilege(c.oid, 'UPDATE') AND has_column_privilege(c.oid, attname, 'UPDATE')
    )) AS may
  FROM pg_class c
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
  ORDER BY relname`;

const OWNED = `
  SELECT rolsuper AS superuser, rolcreaterole AS createrole, rolcreatedb AS createdb,
    rolbypassrls AS bypassrls, has_schema_privilege(current_schema(), 'CREATE') AS creates,
    (SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace
       AND pg_has_role(relowner, 'MEMBER')) AS relations,
    (SELECT count(*) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
       AND pg_has_role(proowner, 'MEMBER')) AS routines,
    ARRAY(SELECT rolname::text FROM pg_roles other
          WHERE pg_has_role(other.oid, 'MEMBER') AND other.rolname <> current_user) AS roles
  FROM pg_roles WHERE rolname = current_user`;
