import { readFileSync } from 'node:fs';
import { digest } from '../crypto/digest.ts';

export const ASSET_NAMES = ['pages.css', 'pages.js', 'passkeys.js', 'icon.svg'] as const;
export type AssetName = (typeof ASSET_NAMES)[number];

/** A static file as it is served. Its path changes with its content: cache it as immutable. */
export interface Asset {
  /** `/assets/pages.0f3a9c….css`, below the issuer's own path. */
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
  /** Strong, with its quotes. */
  readonly etag: string;
}

export interface Assets {
  /** What `path` (below the issuer's own path) names, or undefined. */
  find(path: string): Asset | undefined;
  path(name: AssetName): string;
}

/** One year, the longest that caches heed, for every asset. */
export const ASSET_CACHE_CONTROL = 'public, max-age=31536000, immutable';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads the package's `assets/` folder; call it once at start. */
export function readAssets(): Assets {
  const byName = new Map(ASSET_NAMES.map((name) => [name, readAsset(name)]));
  const byPath = new Map([...byName.values()].map((asset) => [asset.path, asset]));
  return {
    find: (path) => byPath.get(path),
    path: (name) => byName.get(name)?.path ?? '',
  };
}

function readAsset(name: AssetName): Asset {
  const body = readFileSync(new URL(`../../../assets/${name}`, import.meta.url));
  const hash = digest(body).slice(0, 16);
  const [stem = '', extension = ''] = name.split('.');
  return {
    path: `/assets/${stem}.${hash}.${extension}`,
    contentType: CONTENT_TYPES[extension] ?? 'application/octet-stream',
    body,
    etag: `"${hash}"`,
  };
}
