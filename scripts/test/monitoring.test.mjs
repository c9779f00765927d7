// What deploy/monitoring ships: rules that fire when they should, over metrics that exist, each with
// a runbook whose commands and statements work as written.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { startTestAuthServer } from '../../packages/auth-server/dist/test/support/auth-server.js';
import { runTool } from '../../packages/auth-server/dist/test/support/tool.js';
import { startTestApi } from '../../packages/resource-api/dist/test/support/api.js';
import { runWith } from '../../packages/resource-api/dist/test/support/tool.js';
import { pglite, requireServer } from '../../packages/testing/dist/src/engines.js';
import { findBinary } from '../../packages/testing/dist/src/servers.js';
import { composed } from './deploy/kubernetes.mjs';

const root = resolve(import.meta.dirname, '..', '..');
const monitoring = join(root, 'deploy', 'monitoring');
const runbooks = join(root, 'docs', 'guides', 'runbooks');
const read = (...path) => readFileSync(join(...path), 'utf8');
const alerts = parse(read(monitoring, 'alerts.yaml')).groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(read(monitoring, 'dashboard.json'));
const METRIC = /\b(?:cls|process|nodejs)_\w+/g;
const roles = new Set(read(root, 'deploy', 'roles.sql').match(/\bcls_\w+/g));
const ofAlerts = readdirSync(runbooks).filter((name) =>
  alerts.some(({ annotations }) => annotations.runbook_url.endsWith(`/${name}`)),
);

describe('the rules of alerts', () => {
  for (const words of [
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'alerts.test.yaml'],
  ]) {
    it(`pass: promtool ${words.slice(0, 2).join(' ')}`, function () {
      requireServer(this, 'promtool', findBinary('promtool'));
      const ran = spawnSync('promtool', words, { cwd: monitoring, encoding: 'utf8' });
      expect(ran.status, ran.stdout + ran.stderr).to.equal(0);
    });
  }

  const { tests } = parse(read(monitoring, 'alerts.test.yaml'));

  it('are each seen to fire', () => {
    const fired = tests.flatMap((test) =>
      test.alert_rule_test
        .filter(({ exp_alerts: expected }) => expected.length > 0)
        .map(({ alertname }) => {
          expect(test.name.split(',')[0]).to.equal(alertname);
          return alertname;
        }),
    );
    expect([...new Set(fired)]).to.have.members(alerts.map(({ alert }) => alert));
  });

  it('are each seen not to fire where all they look at is just well', () => {
    const well = tests.find(({ name }) => name === 'an installation that is well');
    const series = new Set(well.input_series.map(({ series: one }) => /^\w+/.exec(one)[0]));
    for (const { alert, expr } of alerts) {
      const quiet = well.alert_rule_test.find(({ alertname }) => alertname === alert);
      // Later than the longest `for`, so that waiting is not what keeps the alert quiet.
      expect(quiet, alert).to.deep.equal({
        eval_time: '179m',
        alertname: alert,
        exp_alerts: [],
      });
      const metrics = expr.match(/\bup\b|\b(?:cls|process|nodejs)_\w+/g);
      expect([...series], alert).to.include.members(metrics);
    }
  });

  it('warn of memory at 0.8 of the smallest limit that deploy/ gives each service', () => {
    const BYTES = { G: 2 ** 30, M: 2 ** 20 };
    const bytes = (text) => {
      const [, number, unit] = /^(\d+)([GM])i?$/.exec(text);
      return Number(number) * BYTES[unit];
    };
    const limits = {};
    const limit = (service, text) => {
      limits[service] = Math.min(limits[service] ?? Infinity, bytes(text));
    };
    for (const { kind, metadata, spec } of composed(
      join(root, 'deploy', 'kubernetes', 'overlays', 'production'),
    )) {
      if (kind !== 'Deployment') continue;
      limit(metadata.name, spec.template.spec.containers[0].resources.limits.memory);
    }
    for (const service of ['auth-server', 'resource-api', 'explorer']) {
      const unit = read(root, 'deploy', 'systemd', `cls-${service}.service`);
      limit(service, /^MemoryMax=(\S+)$/m.exec(unit)[1]);
    }
    const { expr } = alerts.find(({ alert }) => alert === 'ClsMemoryHigh');
    const warned = [...expr.matchAll(/job=~?"([^"]+)"\} > 0\.8 \* (\d+)/g)].flatMap(
      ([, jobs, number]) => jobs.split('|').map((job) => [job, Number(number)]),
    );
    expect(Object.fromEntries(warned)).to.deep.equal(limits);
  });

  it('have a runbook each, with the alert’s name, what to look at and what to do', () => {
    for (const { alert, labels, annotations } of alerts) {
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      const text = read(root, annotations.runbook_url);
      expect(text, alert).to.match(
        new RegExp(`^# ${alert}\n\n\\S.+\n\n## Look\n\n- [^]+\n## Do\n\n- `),
      );
      expect(read(runbooks, 'README.md')).to.contain(`[${alert}](`);
    }
    expect(ofAlerts).to.have.length(alerts.length);
  });
});

describe('a runbook names', () => {
  const texts = ofAlerts.map((name) => read(runbooks, name));
  const inAll = (pattern) => [
    ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found]) => found))),
  ];
  const sources = () =>
    ['auth-server', 'resource-api', 'explorer', 'shared']
      .flatMap((name) => {
        const folder = join(root, 'packages', name, 'src');
        return readdirSync(folder, { recursive: true }).map((file) => join(folder, file));
      })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => read(file))
      .join('\n');

  it('panels that the dashboard has', () => {
    const named = inAll(/“([^”]+)”/g);
    expect(named.length).to.be.above(8);
    expect(panels.map(({ title }) => title)).to.include.members(named);
  });

  it('lines and fields that the log has', () => {
    const source = sources();
    const lines = texts
      .flatMap((text) => text.match(/^- The (?:end of its )?log: .*$/gm) ?? [])
      .flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted));
    const messages = lines.filter((each) => / /.test(each) && !/LOG|^cls-/.test(each));
    expect(messages.length).to.be.above(5);
    expect(messages.filter((each) => !source.includes(each))).to.deep.equal([]);
    const fields = inAll(/\b((?:event|error|cls|http)\.[a-z][a-z_.]*[a-z])\b/g);
    expect(fields.length).to.be.above(4);
    const known = (field) =>
      source.includes(`'${field}'`) ||
      (field.startsWith('cls.') &&
        new RegExp(`\\b${field.slice(4).replace(/_(.)/g, (_, c) => c.toUpperCase())}\\b`).test(
          source,
        ));
    expect(fields.filter((field) => !known(field))).to.deep.equal([]);
  });

  it('settings that the services have', () => {
    const settings = read(root, 'docs', 'reference', 'configuration.md');
    const named = inAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`/g);
    expect(named.length).to.be.above(8);
    const missing = named.filter((name) => !settings.includes(`\`${name}\``));
    expect(missing).to.deep.equal(['NODE_EXTRA_CA_CERTS']); // Node reads it.
  });
});

describe('what is measured', () => {
  let auth;
  let api;
  const exported = new Set();
  before(async () => {
    auth = await startTestAuthServer(pglite, { METRICS_PORT: '0' });
    api = await startTestApi(pglite, { METRICS_PORT: '0' });
    for (const { metricsPort } of [auth, api]) {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
        const ends = type === 'histogram' ? ['_bucket', '_count', '_sum'] : [''];
        for (const end of ends) exported.add(`${name}${end}`);
      }
    }
  });
  after(() => Promise.all([auth?.stop(), api?.stop()]));

  const named = {
    'the rules': alerts.map(({ expr }) => expr),
    'the tests of the rules': parse(read(monitoring, 'alerts.test.yaml')).tests.flatMap((test) =>
      test.input_series.map(({ series }) => series),
    ),
    'the dashboard': panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    'the runbooks': ofAlerts.map((name) => read(runbooks, name)),
  };
  for (const [where, texts] of Object.entries(named)) {
    it(`has every metric that is named in ${where}`, () => {
      const names = new Set(texts.flatMap((text) => text.match(METRIC) ?? []));
      expect(names.size, 'named').to.be.above(3);
      expect([...names].filter((name) => !exported.has(name) && !roles.has(name))).to.deep.equal(
        [],
      );
    });
  }

  it('is documented, each metric of ours', () => {
    const text = read(root, 'docs', 'guides', 'operations.md');
    const ours = [...exported].map((name) => name.replace(/_(bucket|count|sum)$/, ''));
    const missing = new Set(ours.filter((name) => name.startsWith('cls_') && !text.includes(name)));
    expect([...missing]).to.deep.equal([]);
  });

  it('can be asked in the runbooks’ words: statements run as they are written', async () => {
    const statements = ofAlerts.flatMap((name) =>
      [...read(runbooks, name).matchAll(/`((?:SELECT|UPDATE) [^`]+)`/g)].map(([, sql]) => sql),
    );
    expect(statements.length).to.be.above(4);
    for (const sql of statements) {
      const text = sql.replace('PID', 'pg_backend_pid() + 100000');
      const known = /audit_event|logout_notice|customer_notice/.test(text) ? auth : api;
      await known.database.query(text);
    }
  });

  it('can be mended in the runbooks’ words: commands and options are there', async () => {
    const commands = ofAlerts.flatMap((name) =>
      [...read(runbooks, name).matchAll(/`(cls-(?:auth|api|explorer) [^`]+)`/g)].map(
        ([, one]) => one,
      ),
    );
    expect(commands.length).to.be.above(8);
    for (const command of new Set(commands)) {
      const [tool, ...words] = command.split(' ');
      if (tool === 'cls-explorer') continue;
      const end = words.findIndex((word) => !/^[a-z][a-z-]+$/.test(word));
      const names = end < 0 ? words : words.slice(0, end);
      const run = (...asked) => (tool === 'cls-auth' ? runTool(asked, {}) : runWith({}, ...asked));
      const { code, stdout } = await run(...names, '--help');
      expect(code, command).to.equal(0);
      for (const option of words.filter((word) => word.startsWith('--'))) {
        expect(stdout, command).to.contain(option);
      }
    }
  });
});
