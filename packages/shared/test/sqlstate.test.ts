import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireServer } from '@cls/testing/engines';
import { type PostgresInstance, startPostgresInstance } from '@cls/testing/postgres-instance';
import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { Secret } from '../src/secret.ts';
import { DatabaseUnavailable, SqlError } from '../src/sql/database.ts';
import { postgresDatabase } from '../src/sql/postgres.ts';
import { cannotOpen, isUnavailable, PASSING_STATES } from '../src/sql/sqlstate.ts';

/** Of each class in PostgreSQL's Appendix A: what a statement gets, and a session that opens. */
const CLASSES: readonly (readonly [string, 'refused' | '503', 'refused' | '503'])[] = [
  ['03000', 'refused', 'refused'], // SQL statement not yet complete
  ['08006', '503', '503'], // connection failure
  ['08P01', '503', '503'], // protocol violation: what pgbouncer answers while its server is away
  ['09000', 'refused', 'refused'], // triggered action exception
  ['0A000', 'refused', 'refused'], // feature not supported
  ['0B000', 'refused', 'refused'], // invalid transaction initiation
  ['0F000', 'refused', 'refused'], // locator exception
  ['0L000', 'refused', 'refused'], // invalid grantor
  ['0P000', 'refused', 'refused'], // invalid role specification
  ['0Z000', 'refused', 'refused'], // diagnostics exception
  ['20000', 'refused', 'refused'], // case not found
  ['21000', 'refused', 'refused'], // cardinality violation
  ['22003', 'refused', 'refused'], // data exception
  ['23505', 'refused', 'refused'], // integrity constraint violation
  ['24000', 'refused', 'refused'], // invalid cursor state
  ['25006', '503', '503'], // read-only transaction
  ['25P02', 'refused', 'refused'], // in failed transaction
  ['25P03', '503', '503'], // idle in transaction
  ['25P04', '503', '503'], // transaction timeout
  ['26000', 'refused', 'refused'], // invalid SQL statement name
  ['27000', 'refused', 'refused'], // triggered data change violation
  ['28P01', 'refused', '503'], // invalid password
  ['28000', 'refused', '503'], // invalid authorization specification
  ['2B000', 'refused', 'refused'], // dependent privilege descriptors still exist
  ['2D000', 'refused', 'refused'], // invalid transaction termination
  ['2F000', 'refused', 'refused'], // SQL routine exception
  ['34000', 'refused', 'refused'], // invalid cursor name
  ['38000', 'refused', 'refused'], // external routine exception
  ['39000', 'refused', 'refused'], // external routine invocation exception
  ['3B000', 'refused', 'refused'], // savepoint exception
  ['3D000', 'refused', '503'], // invalid catalog name
  ['3F000', 'refused', 'refused'], // invalid schema name
  ['40001', '503', '503'], // serialization failure, or a conflict with recovery
  ['40002', 'refused', 'refused'], // transaction integrity constraint violation
  ['40003', '503', '503'], // statement completion unknown
  ['40P01', '503', '503'], // deadlock detected
  ['42501', 'refused', '503'], // insufficient privilege
  ['42P01', 'refused', 'refused'], // undefined table
  ['44000', 'refused', 'refused'], // WITH CHECK OPTION violation
  ['53100', '503', '503'], // disk full
  ['54001', 'refused', 'refused'], // statement too complex
  ['55000', 'refused', '503'], // object not in prerequisite state
  ['55P03', 'refused', '503'], // lock not available
  ['57014', '503', '503'], // query canceled
  ['57P03', '503', '503'], // cannot connect now
  ['57P05', '503', '503'], // idle session timeout
  ['58030', '503', '503'], // I/O error
  ['72000', '503', '503'], // snapshot too old
  ['F0001', 'refused', '503'], // configuration file error
  ['HV000', 'refused', 'refused'], // foreign data wrapper error
  ['P0001', 'refused', 'refused'], // raise_exception: what the schema itself refuses
  ['XX000', 'refused', '503'], // internal error
];

describe('SQLSTATE', () => {
  for (const [code, statement, opening] of CLASSES) {
    it(`${code}: a statement is ${statement}, a session that opens is ${opening}`, () => {
      expect(isUnavailable(code)).to.equal(statement === '503');
      expect(cannotOpen(code)).to.equal(opening === '503');
    });
  }

  it('has an example of each line of the table', () => {
    const without = PASSING_STATES.filter(
      ({ begins }) => !CLASSES.some(([code]) => code.startsWith(begins)),
    );
    expect(without).to.deep.equal([]);
  });
});

describe('a login that PostgreSQL refuses while a service runs', () => {
  let server: PostgresInstance;
  before(async function () {
    const directory = temporaryDirectory('cls-logins-');
    const found = await startPostgresInstance({ directory });
    requireServer(this, 'PostgreSQL', found);
    server = found;
    await server.createDatabase('book');
    await server.query(`CREATE ROLE service LOGIN PASSWORD 'first'`);
    const access = join(directory, 'data', 'pg_hba.conf');
    writeFileSync(access, `host book service all scram-sha-256\n${readFileSync(access, 'utf8')}`);
    await server.query('SELECT pg_reload_conf()');
  });
  after(() => server?.remove());

  const CASES: readonly (readonly [string, string, string, string])[] = [
    [
      ...(['28P01', 'its password was replaced'] as const),
      `ALTER ROLE service PASSWORD 'second'`,
      `ALTER ROLE service PASSWORD 'first'`,
    ],
    [
      ...(['28000', 'its role may not log in'] as const),
      'ALTER ROLE service NOLOGIN',
      'ALTER ROLE service LOGIN',
    ],
    [
      ...(['3D000', 'its database is being restored under another name'] as const),
      'ALTER DATABASE book RENAME TO restored',
      'ALTER DATABASE restored RENAME TO book',
    ],
    [
      ...(['42501', 'its role may not connect'] as const),
      'REVOKE CONNECT ON DATABASE book FROM PUBLIC',
      'GRANT CONNECT ON DATABASE book TO PUBLIC',
    ],
    [
      ...(['55000', 'its database takes no connections'] as const),
      'ALTER DATABASE book ALLOW_CONNECTIONS false',
      'ALTER DATABASE book ALLOW_CONNECTIONS true',
    ],
    [
      ...(['53300', 'its role may have no more sessions'] as const),
      'ALTER ROLE service CONNECTION LIMIT 0',
      'ALTER ROLE service CONNECTION LIMIT -1',
    ],
  ];
  for (const [code, why, breaks, mends] of CASES) {
    it(`is an outage that passes where ${why} (${code})`, async () => {
      const database = postgresDatabase({
        ...{ url: new Secret(server.url('book', 'service:first')), poolSize: 2 },
        ...{ statementTimeoutMs: 20_000, applicationName: 'cls-test', onError: () => undefined },
      });
      const none = () => undefined;
      await server.query(breaks);
      try {
        for (const use of [
          () => database.query('SELECT 1'),
          () => database.transaction((inside) => inside.query('SELECT 1')),
          () => database.listen('news', none, none),
        ]) {
          const error = await use().catch((thrown: unknown) => thrown);
          expect(error).to.be.instanceOf(DatabaseUnavailable);
          expect((error as Error).message).to.equal(`the database refused work (${code})`);
        }
      } finally {
        await server.query(mends);
      }
      await eventually(async () => {
        expect(await database.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      });
      const refused = await database.query('CREATE ROLE x').catch((thrown: unknown) => thrown);
      expect(refused, 'in an open session')
        .to.be.instanceOf(SqlError)
        .with.property('code', '42501');
      await database.close();
    });
  }
});
