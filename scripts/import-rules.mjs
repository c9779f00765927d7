// Who may import whom. `root` wires everything; `edge` speaks HTTP, HTML or a command line;
// `use-case` does the work; `adapter` wraps a library or a store; `port` is what a use case asks
// of the world; `domain` is pure. See docs/adr/0001-structure.md.

export const MAY_IMPORT = {
  root: ['root', 'edge', 'use-case', 'adapter', 'port', 'domain'],
  edge: ['edge', 'use-case', 'port', 'domain'],
  'use-case': ['use-case', 'port', 'domain'],
  adapter: ['adapter', 'port', 'domain'],
  port: ['port', 'domain'],
  domain: ['domain'],
};

/** The longest matching path decides. */
export const KIND_OF = {
  'auth-server': {
    'main.ts': 'root',
    'compose.ts': 'root',
    'config.ts': 'port',
    'http/': 'edge',
    'cli/': 'edge',
    'cli/as-operator.ts': 'root',
    'cli/cls-auth.ts': 'root',
    'accounts/': 'port',
    'audit/': 'port',
    'clients/': 'port',
    'customers/': 'port',
    'keys/': 'adapter',
    'keys/signing-key.ts': 'port',
    'mfa/': 'port',
    // The library is the edge's framework: what configures it and hooks into it is edge.
    'provider/': 'edge',
    'provider/state/': 'adapter',
    'provider/state/provider-adapter.ts': 'edge',
    'provider/state/sealing.ts': 'domain',
    'provider/state/state-store.ts': 'port',
    'store/': 'adapter',
    'throttle/': 'port',
    'token/': 'edge',
    'views/': 'edge',
  },
  'resource-api': {
    'main.ts': 'root',
    'compose.ts': 'root',
    'config.ts': 'port',
    'access/': 'use-case',
    'access/caller.ts': 'domain',
    'access/entitlement.ts': 'port',
    'access/rate-limit.ts': 'port',
    'access/shared-window.ts': 'adapter',
    'balances/': 'use-case',
    'balances/balance-store.ts': 'port',
    'billing/': 'port',
    'cli/': 'edge',
    'cli/as-operator.ts': 'root',
    'cli/cls-api.ts': 'root',
    'cli/operator.ts': 'port',
    'csv/': 'domain',
    'generator/': 'use-case',
    'generator/generated-books.ts': 'port',
    'fx/': 'port',
    'http/': 'edge',
    'http/refusal.ts': 'domain',
    'journal-file/': 'use-case',
    'journal-file/journal-store.ts': 'port',
    'journal-file/record.ts': 'port',
    'ledger/': 'domain',
    'periods/': 'port',
    'reconcile/': 'port',
    'store/': 'adapter',
    'tape/': 'use-case',
    'tape/book.ts': 'port',
    'tape/plan.ts': 'port',
    'tape/profile.ts': 'port',
    'tape/tape-row.ts': 'port',
    'versions/': 'edge',
    'versions/api-version.ts': 'port',
  },
};

/** Libraries that one place wraps. Paths start with the package's folder name. */
export const LIBRARY_PLACES = [
  { name: 'oidc-provider/lib', places: ['auth-server/provider/internals'] },
  {
    name: 'oidc-provider',
    places: [
      'auth-server/provider/',
      'auth-server/token/',
      'auth-server/http/token-',
      'auth-server/compose',
    ],
  },
  { name: 'ioredis', places: ['auth-server/provider/state/'] },
  { name: '@node-rs/argon2', places: ['auth-server/accounts/password'] },
  { name: 'otpauth', places: ['auth-server/mfa/totp'] },
  { name: 'qrcode', places: ['auth-server/views/qr-code'] },
  { name: 'redis', places: ['resource-api/access/'] },
];
