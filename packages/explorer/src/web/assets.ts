import { readFileSync } from 'node:fs';
import type { Middleware } from 'koa';
import { digest } from '../crypto/seal.ts';

const TYPES = {
  'explorer.css': 'text/css; charset=utf-8',
  'explorer.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
export type AssetName = keyof typeof TYPES;

export const ASSETS_ROUTE = '/assets/{asset}';

export interface Assets {
  path(name: AssetName): string;
  readonly serve: Middleware;
}

/** Reads the package's `assets/` folder. Paths change with the content, so browsers keep them. */
export function readAssets(): Assets {
  const names = Object.keys(TYPES) as AssetName[];
  const found = new Map(names.map((name) => [name, readAsset(name)]));
  const byPath = new Map([...found.values()].map((asset) => [asset.path, asset]));
  return {
    path: (name) => found.get(name)?.path ?? '/',
    serve: async (ctx, next) => {
      const asset = byPath.get(ctx.path);
      if (asset === undefined || !['GET', 'HEAD'].includes(ctx.method)) return next();
      ctx.state['route'] = ASSETS_ROUTE;
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.type = asset.type;
      ctx.body = asset.body;
    },
  };
}

function readAsset(name: AssetName) {
  const body = readFileSync(new URL(`../../../assets/${name}`, import.meta.url));
  const [stem, extension] = name.split('.');
  const version = digest(body.toString('utf8')).slice(0, 16);
  return { path: `/assets/${stem}.${version}.${extension}`, type: TYPES[name], body };
}
