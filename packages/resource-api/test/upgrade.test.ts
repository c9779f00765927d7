import { silentLog } from '@cls/shared/log';
import {
  type DatabaseLocation,
  openDatabaseAsOperator,
  openDatabaseAsOwner,
} from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { migrate, migrationStatus, readSchema } from '@cls/shared/sql/migrate';
import {
  describeOnDatabase,
  describeOnEngines,
  type Engine,
  postgres,
  postgresAsService,
  requireServer,
} from '@cls/testing/engines';
import { postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { listImports, revertImport } from '../src/import/sql/revert-import.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import {
  type Figures,
  figuresOf,
  releasedAnswers,
  releasedBook,
  writeReleasedBook,
} from './support/release.ts';
import { runWith } from './support/tool.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const release = releasedAnswers();
const { migrations, grants } = readSchema(MIGRATIONS);
/** What is pending on a store of 0.5.0. */
const later = migrations.filter(({ standsFor }) => standsFor === undefined);
const stageNamed = (name: string) => release.stages.findIndex((stage) => stage.name === name);
const TAKEN_BACK = stageNamed('statement of 2023 taken back');
/** Deals whose bills were corrected or taken back, or that were drawn late: since which stage. */
const CORRECTED = new Map([
  [release.late, stageNamed('repaid in a billed period')],
  [release.reversed, stageNamed('bills reversed')],
  [release.beyond, stageNamed('before it was booked, and beyond what was committed')],
]);

const isImported = ({ deal }: Figures) =>
  !deal.startsWith('deal_0000000A') && deal !== release.quiet && deal !== release.lively;

/** Without what a correction of billed days changes: what accrued, and what follows from it. */
function uncorrected(item: Figures, stage: number): Figures {
  if (stage < (CORRECTED.get(item.deal) ?? Number.POSITIVE_INFINITY)) return item;
  const { warnings, ...rest } = without(item, /accrued$|^total\.outstanding$/i);
  return rest;
}

/** The deal of a facility whose availability ends before dates that were asked for: its fee accrued on. */
const FEE_ENDED = release.answers
  .flatMap(({ items }) => items)
  .find(({ id }) => id === 'fac_0000000A0000000000000000K7')?.deal;

function isMatured({ warnings = [] }: Figures): boolean {
  return warnings.includes('past_maturity');
}

/** Without what follows from ends that the release did not look at. */
function beforeEnds(item: Figures, matured: ReadonlySet<string>): Figures {
  const own =
    item.deal === FEE_ENDED ? without(item, /^fees\.accrued$|^total\.outstanding$/) : item;
  if (!matured.has(item.id)) return own;
  const { warnings = [], ...rest } = without(own, /^principal\.(due|pastDue)$|^total\.pastDue$/);
  const others = warnings.filter((warning) => warning !== 'past_maturity');
  return {
    ...rest,
    ...(others.length === 0 ? {} : { warnings: others }),
    status: { ...rest.status, daysPastDue: undefined },
  };
}

/** Without the amounts of these names. */
function without({ share, ...item }: Figures, names: RegExp): Figures {
  const kept = (amounts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => !names.test(name)));
  return {
    ...item,
    global: kept(item.global),
    ...(share === undefined ? {} : { share: kept(share) }),
    lenders: Object.fromEntries(Object.entries(item.lenders).map(([id, of]) => [id, kept(of)])),
  };
}

const open = (location: DatabaseLocation) => openDatabaseAsOperator(location, 'test', silentLog);

let api: TestApi;

/** Opened by this build, for a suite. */
function useReleasedBook(engine: Engine): void {
  before(async () => {
    const location = await releasedBook(engine);
    api = await startTestApi({ ...engine, createLocation: async () => location });
  });
  after(() => api?.stop());
}

const ask = async (path: string, customer?: string): Promise<readonly Figures[]> => {
  const claims = customer === undefined ? undefined : viewer(customer);
  const response = await api.get(`/api/v1/cls/balances${path}`, claims);
  const body = (await response.json()) as Json;
  expect(response.status, JSON.stringify(body)).to.equal(200);
  return body.data.map(figuresOf);
};

/** What is outstanding of the loans of statements. */
const loans = async (asOf: string, stage?: number) => {
  const known = stage === undefined ? '' : `&knownAt=${release.stages[stage]?.knownAt}`;
  const path = `/api/v1/cls/balances?level=contract&includeZero=true&limit=1000&asOf=${asOf}${known}`;
  const { data } = (await (await api.get(path)).json()) as Json;
  return Object.fromEntries(
    data
      .filter(({ contract }: Json) => /^S\d$/.test(contract.contractNumber))
      .map(({ contract, global }: Json) => [contract.contractNumber, global.principal.outstanding]),
  );
};
// S6 and S7 have no amounts, so that the release posted no journal of them.
const by2020 = { S1: '700.00', S2: '0.00', S3: '900.00', S7: '0.00' };
const by2022 = { S1: '750.00', S2: '200.00', S3: '400.00', S5: '0.00', S7: '0.00' };
const by2023 = {
  ...{ S1: '600.00', S2: '300.00', S3: '0.00', S4: '700.00', S5: '100.00' },
  ...{ S6: '0.00', S7: '0.00' },
};

describeOnEngines('a book of the release before', (engine) => {
  useReleasedBook(engine);

  it('reconciles, its hash chain and every derived table included', async () => {
    const { checks } = await sqlReconciler(api.database).reconcile(5);
    const broken = checks.filter(({ breakCount }) => breakCount > 0);
    expect(broken, JSON.stringify(broken, undefined, 1)).to.deep.equal([]);
    const [journals] = await api.database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM journal',
    );
    const chain = checks.filter(({ invariant }) => invariant.includes('chain'));
    expect(chain.map(({ checked }) => checked)).to.include(journals?.n);
  });

  it('lets its imports be taken back, with loans that no journal names', async () => {
    const standing = (await listImports(api.database)).filter((one) => one.revertedAt === null);
    for (const [asOf, expected] of [
      ['2022-05-31', by2020],
      ['2020-05-31', {}],
    ] as const) {
      const { id = '' } = standing.pop() ?? {};
      expect((await revertImport(api.database, id, true)).outcome).to.equal('reverted');
      expect(await loans(asOf), asOf).to.deep.equal(expected);
    }
    const last = release.stages.length - 1;
    expect(await loans('2022-05-31', last)).to.deep.equal(by2022);
    const { checks } = await sqlReconciler(api.database).reconcile(5);
    expect(checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
  });
});

describeOnDatabase('answers of a book of the release before', (engine) => {
  useReleasedBook(engine);

  for (const [index, { name, knownAt }] of [
    ...release.stages,
    { name: 'now', knownAt: '' },
  ].entries()) {
    it(`are those that it gave, as known: ${name}`, async () => {
      const asked = release.answers.filter(({ path }) =>
        knownAt === '' ? !path.includes('knownAt') : path.endsWith(`knownAt=${knownAt}`),
      );
      expect(asked.length).to.be.greaterThan(2);
      for (const { path, customer, items } of asked) {
        const answer = await ask(path, customer);
        const matured = new Set(answer.filter(isMatured).map(({ id }) => id));
        const compared = (all: readonly Figures[]) =>
          all
            .filter((item) => index < TAKEN_BACK || !isImported(item))
            .map((item) => uncorrected(item, index))
            .map((item) => beforeEnds(item, matured))
            .sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(compared(answer), path).to.deep.equal(compared(items));
      }
    });
  }

  it('have of an import that was taken back what the statements that stand say', async () => {
    expect(await loans('2023-05-31', TAKEN_BACK - 1)).to.deep.equal(by2023);
    expect(await loans('2023-05-31', TAKEN_BACK)).to.deep.equal(by2020);
    expect(await loans('2022-05-31', TAKEN_BACK)).to.deep.equal(by2020);
    expect(await loans('2020-05-31')).to.deep.equal(by2020);
    expect(await loans('2022-05-31')).to.deep.equal(by2022);
    expect(await loans('2023-05-31')).to.deep.equal(by2022);
  });

  it('keep what a file booked between a statement and its end, with the stated date', async () => {
    for (const [asOf, expected] of [
      ['2023-12-31', []],
      ['2024-01-01', [release.lively, release.quiet].sort()],
    ] as const) {
      const items = await ask(`?level=deal&includeZero=true&limit=1000&asOf=${asOf}`);
      const ours = items.filter(({ deal }) => deal === release.quiet || deal === release.lively);
      expect(ours.map(({ deal }) => deal).sort(), asOf).to.deep.equal(expected);
    }
  });
});

describeOnEngines('migrations of a book of the release before', (engine) => {
  it('go on after a crash between any two, or in any one of them', async () => {
    const location = await releasedBook(engine);
    const database = await open(location);
    try {
      for (const next of later) {
        const before = migrations.filter(({ number }) => number < next.number);
        const broken = { ...next, sql: `${next.sql}; SELECT 1 / 0;` };
        const failure = await migrate(database, [...before, broken]).then(
          () => undefined,
          (error: Error) => error,
        );
        expect(failure?.message, next.name).to.include('division by zero');
        expect((await migrationStatus(database, migrations)).pending[0]).to.equal(next.name);
        await migrate(database, [...before, next]);
      }
      const { checks } = await sqlReconciler(database).reconcile(1);
      expect(checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
    } finally {
      await database.close();
    }
  });
});

describe('two processes that migrate one book at once [PostgreSQL]', () => {
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
  });

  it('apply each migration once, and both succeed', async () => {
    const location = await releasedBook(postgres);
    if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
    const env = { API_DATABASE_URL: location.url.expose() };
    const runs = await Promise.all([0, 1].map(() => runWith(env, 'migrate', '--json')));
    expect(
      runs.map(({ code }) => code),
      JSON.stringify(runs),
    ).to.deep.equal([0, 0]);
    const applied = runs.flatMap(({ stdout }) => JSON.parse(stdout).applied as string[]);
    expect(applied.sort()).to.deep.equal(later.map(({ name }) => name));
  });

  it('leave no current schema without its grants, wherever they crash', async () => {
    const engine = postgresAsService('cls_api_service');
    const location = await engine.createLocation();
    const owner = await openDatabaseAsOwner(location, 'test', silentLog, false);
    await writeReleasedBook(owner);
    /** Loses its connection after so many transactions. */
    const crashing = (after: number): Database => {
      let left = after;
      return {
        ...owner,
        transaction: (work, options) => {
          left -= 1;
          if (left < 0) throw new Error('crashed');
          return owner.transaction(work, options);
        },
      };
    };
    try {
      for (;;) {
        const ended = await migrate(crashing(1), migrations, grants).then(
          () => true,
          ({ message }: Error) => message !== 'crashed',
        );
        const { pending } = await migrationStatus(owner, migrations);
        const [may] = await owner.query<{ write: boolean }>(
          `SELECT has_table_privilege('cls_api_service', 'journal', 'INSERT') AS write`,
        );
        expect(may?.write, pending.join()).to.equal(pending.length === 0);
        if (ended) return;
      }
    } finally {
      await owner.close();
    }
  });
});
