// Who may import whom (docs/reasons/adr/0001-structure.md). Two rules hold for every package: the arrows
// between its folders form no circle, and each file keeps to its kind:
//   root     wires the parts; the only one that names an adapter
//   edge     speaks HTTP, HTML or a command line
//   core     does the work, and says what it asks of the world (ports)
//   domain   is pure: no input, no output, no clock, no library
//   adapter  wraps a database, a server or a library; known by its name or by what it imports

export const MAY_IMPORT = {
  root: ['root', 'edge', 'core', 'adapter', 'domain'],
  edge: ['edge', 'core', 'domain'],
  core: ['core', 'domain'],
  adapter: ['adapter', 'core', 'domain'],
  domain: ['domain'],
};

/** Which packages of this workspace the sources of each may import: services, then test tools. */
export const PACKAGES = {
  shared: [],
  'contract-gate': [],
  client: [],
  'auth-server': ['shared'],
  'resource-api': ['shared', 'contract-gate'],
  explorer: ['shared'],
  testing: ['shared'],
  'book-generator': ['shared', 'resource-api'],
};

/**
 * By folder; what is not listed is core. The longest matching path decides. Packages that are not
 * listed have no kinds.
 */
export const KIND_OF = {
  'auth-server': {
    'main.ts': 'root',
    compose: 'root',
    'cli/': 'edge',
    'cli/as-operator.ts': 'root',
    'cli/check.ts': 'root',
    'cli/cls-auth.ts': 'root',
    'cli/program.ts': 'root',
    'cli/run.ts': 'root',
    'account-pages/': 'edge',
    'admin-api/': 'edge',
    'library/': 'edge',
    'oauth/': 'edge',
    'secret-scanning/': 'edge',
    'server/': 'edge',
    'views/': 'edge',
    'web/': 'edge',
  },
  'resource-api': {
    'main.ts': 'root',
    compose: 'root',
    'contracts.ts': 'root',
    'cli/': 'edge',
    'cli/as-operator.ts': 'root',
    'cli/check.ts': 'root',
    'cli/cls-api.ts': 'root',
    'cli/program.ts': 'root',
    'cli/run.ts': 'root',
    'import/process/import-process.ts': 'root',
    'documentation/': 'edge',
    'http/': 'edge',
    'versions/': 'edge',
    'database/': 'adapter',
    'posting/': 'adapter',
    'csv/': 'domain',
    'ledger/': 'domain',
    'lifecycle/': 'domain',
  },
  explorer: {
    'main.ts': 'root',
    compose: 'root',
    'cli/': 'root',
    'crypto/': 'domain',
    'pages/': 'edge',
    'server/': 'edge',
    'sign-in/': 'edge',
    'web/': 'edge',
    'web/address.ts': 'domain',
    'web/amounts.ts': 'domain',
  },
  'contract-gate': {
    '': 'domain',
    'read-document.ts': 'core',
  },
};

/** A core file with such a name or in such a folder, or that imports one of these, is an adapter. */
export const ADAPTER_NAME = /(^|\/)(sql|redis|connect|open)-[^/]*$|\/sql\//;
export const OUTSIDE =
  /^(node:(child_process|dns|fs|http|https|net|os|tls|worker_threads)|pg|redis|ioredis|nodemailer|openid-client|undici|@electric-sql\/pglite|@simplewebauthn\/server|@zxcvbn-ts\/[a-z-]+)(\/|$)/;
/** What speaks HTTP or a command line stays at the edge. */
export const EDGE_LIBRARIES = /^(koa|@koa\/.*|oidc-provider|commander)(\/|$)/;

/** Libraries that one place wraps. Paths start with the package's folder name. */
export const LIBRARY_PLACES = [
  { name: 'oidc-provider', places: ['auth-server/library/'] },
  {
    name: 'ioredis',
    places: [
      'shared/service/connect-redis',
      'shared/check/redis-node',
      'auth-server/state/',
      'explorer/sessions/',
    ],
  },
  { name: 'age-encryption', places: ['shared/transfer/age-file'] },
  { name: '@node-rs/argon2', places: ['auth-server/accounts/password'] },
  { name: '@zxcvbn-ts/language-common', places: ['auth-server/accounts/common-passwords'] },
  { name: '@simplewebauthn/server', places: ['auth-server/factors/webauthn'] },
  { name: 'nodemailer', places: ['shared/mail/smtp'] },
  { name: 'openid-client', places: ['auth-server/organisations/', 'explorer/issuer/'] },
  { name: 'otpauth', places: ['auth-server/factors/totp'] },
  { name: 'qrcode', places: ['auth-server/views/qr-code'] },
  { name: '@opentelemetry/api', places: ['shared/tracing/open-telemetry'] },
  { name: '@opentelemetry/resources', places: ['shared/tracing/open-telemetry'] },
  { name: '@opentelemetry/sdk-trace-node', places: ['shared/tracing/open-telemetry'] },
  {
    name: '@opentelemetry/exporter-trace-otlp-http',
    places: ['shared/tracing/open-telemetry'],
  },
  { name: 'prom-client', places: ['shared/metrics/prometheus'] },
  {
    name: 'lru-cache',
    places: ['resource-api/memory/', 'auth-server/clients/', 'auth-server/token-status/'],
  },
  { name: 'redis', places: ['resource-api/access/'] },
  { name: 'saxes', places: ['resource-api/import/file/xml'] },
  {
    name: 'yaml',
    places: [
      'contract-gate/read-document',
      'resource-api/import/inspect/write-profile',
      'resource-api/import/profile/read-document',
    ],
  },
];
