// Whether a service would start with the settings of a deployment: its own reader judges them.
import { parseConfig as authServer } from '../../../packages/auth-server/dist/src/config.js';
import { parseConfig as explorer } from '../../../packages/explorer/dist/src/config.js';
import { parseConfig as resourceApi } from '../../../packages/resource-api/dist/src/config.js';

const READERS = { 'auth-server': authServer, 'resource-api': resourceApi, explorer };
/** Read by Node itself, and by the SDK of OpenTelemetry. */
const OTHERS = ['NODE_EXTRA_CA_CERTS', 'OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'];

/** Where a secret would be a file, a file of that name must be made or promised. */
const KEY = Buffer.alloc(32, 7).toString('base64url');
const SAMPLES = [
  [/DATABASE_URL$/, 'postgres://cls_service@db/cls'],
  [/^REDIS_URL$/, 'redis://redis:6379'],
  [/^SMTP_URL$/, 'smtps://mail.example:465'],
  [/SECRET$/, 'a-secret'],
];

/**
 * What is wrong with `env`: faults that the service would report at its start, and names that it
 * does not read. Files get a content that fits.
 */
export function faultsOfSettings(service, env) {
  const asked = new Set();
  const filled = Object.fromEntries(
    Object.entries({ NODE_ENV: 'production', ...env }).map(([name, value]) =>
      name.endsWith('_FILE') ? [name.slice(0, -5), sampleOf(name.slice(0, -5))] : [name, value],
    ),
  );
  const watched = new Proxy(filled, {
    get(target, name) {
      asked.add(name);
      return target[name];
    },
  });
  const unread = () =>
    Object.keys(filled).filter((name) => !asked.has(name) && !OTHERS.includes(name));
  try {
    READERS[service](watched);
  } catch (error) {
    if (error.faults === undefined) throw error;
    return [...error.faults, ...unread()];
  }
  return unread();
}

function sampleOf(name) {
  return SAMPLES.find(([pattern]) => pattern.test(name))?.[1] ?? KEY;
}
