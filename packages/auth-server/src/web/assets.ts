import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { ConfigurationError } from '@cls/shared/environment';
import { type Brand, brandStyles } from '../brand/brand.ts';
import { digest } from '../crypto/digest.ts';

export const ASSET_NAMES = ['pages.css', 'pages.js', 'passkeys.js', 'icon.svg'] as const;
/** The last two are the operator's own, where there are such. */
export type AssetName = (typeof ASSET_NAMES)[number] | 'brand.css' | 'logo';

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
  /** Empty for one that there is not. */
  path(name: AssetName): string;
}

/** One year, the longest that caches heed, for every asset. */
export const ASSET_CACHE_CONTROL = 'public, max-age=31536000, immutable';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
};

const LOGO_MAX_BYTES = 65_536;

/**
 * Reads the package's `assets/` folder, and makes the operator's own; call it once at start.
 *
 * @throws {ConfigurationError} when the logo cannot be used.
 */
export function readAssets(brand: Partial<Brand> = {}): Assets {
  const { colour, logo } = brand;
  const byName = new Map<AssetName, Asset>(
    ASSET_NAMES.map((name) => [
      name,
      asset(name, readFileSync(new URL(`../../../assets/${name}`, import.meta.url))),
    ]),
  );
  if (colour !== undefined)
    byName.set('brand.css', asset('brand.css', Buffer.from(brandStyles(colour))));
  if (logo !== undefined) byName.set('logo', readLogo(logo));
  const byPath = new Map([...byName.values()].map((asset) => [asset.path, asset]));
  return {
    find: (path) => byPath.get(path),
    path: (name) => byName.get(name)?.path ?? '',
  };
}

function readLogo(file: string): Asset {
  const extension = extname(file).slice(1).toLowerCase();
  const fault = (what: string) => new ConfigurationError([`BRAND_LOGO: ${what}`]);
  if (extension !== 'svg' && extension !== 'png') throw fault('expected an .svg or a .png file');
  let body: Buffer;
  try {
    body = readFileSync(file);
  } catch {
    throw fault('the file cannot be read');
  }
  if (body.length > LOGO_MAX_BYTES) throw fault(`the file is larger than ${LOGO_MAX_BYTES} bytes`);
  return asset(`logo.${extension}`, body);
}

function asset(name: string, body: Buffer): Asset {
  const hash = digest(body).slice(0, 16);
  const [stem = '', extension = ''] = name.split('.');
  return {
    path: `/assets/${stem}.${hash}.${extension}`,
    contentType: CONTENT_TYPES[extension] ?? 'application/octet-stream',
    body,
    etag: `"${hash}"`,
  };
}
