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
    'config.ts': 'root',
  },
  'resource-api': {
    'main.ts': 'root',
    'compose.ts': 'root',
    'config.ts': 'root',
  },
};

/** Libraries that one place wraps. Paths start with the package's folder name. */
export const LIBRARY_PLACES = [
  { name: 'oidc-provider/lib', places: ['auth-server/provider/internals'] },
  { name: 'oidc-provider', places: ['auth-server/provider/', 'auth-server/token/'] },
  { name: 'ioredis', places: ['auth-server/provider/state/', 'auth-server/compose'] },
  { name: 'redis', places: ['resource-api/access/', 'resource-api/compose'] },
];
