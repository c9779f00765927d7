import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Middleware } from 'koa';

/** A static file as it is served. Its path changes with its content: cache it as immutable. */
export interface Asset {
  /** `/assets/pages.0f3a9c….css`, below the service's own path. */
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
  /** Strong, with its quotes. */
  readonly etag: string;
}

/** @template Own what there is in any case. @template More what there may be. */
export interface Assets<Own extends string, More extends string = never> {
  /** What `path` (below the service's own path) names, or undefined. */
  find(path: string): Asset | undefined;
  readonly paths: Readonly<Record<Own, string> & Partial<Record<More, string>>>;
}

export const ASSETS_ROUTE = '/assets/{asset}';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
const KIT = new URL('../../../assets/', import.meta.url);
/** An SVG that a browser opens as a page runs no script, also one that the operator supplied. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * Reads files of a service's `assets/` folder, and the icon of every page; call it once at start.
 * A style sheet comes after the kit's own, in one file without comments and needless white space.
 *
 * @param more by name, what is in no folder of ours.
 */
export function readAssets<Own extends string, More extends string = never>(
  folder: URL,
  names: readonly Own[],
  more: Readonly<Record<string, Buffer>> = {},
): Assets<Own, More> {
  const own = names.map((name) => [name, readFile(folder, name)] as const);
  const files = { ...Object.fromEntries(own), 'icon.svg': readFile(KIT, 'icon.svg'), ...more };
  const assets = Object.entries(files).map(([name, body]) => [name, assetOf(name, body)] as const);
  const byPath = new Map(assets.map(([, one]) => [one.path, one]));
  const paths = Object.fromEntries(assets.map(([name, { path }]) => [name, path]));
  return { find: (path) => byPath.get(path), paths: paths as Assets<Own, More>['paths'] };
}

function readFile(folder: URL, name: string): Buffer {
  const body = readFileSync(new URL(name, folder));
  if (extname(name) !== '.css') return body;
  const base = readFileSync(new URL('base.css', KIT));
  const plain = `${base}${body}`.replaceAll(/\/\*.*?\*\//gs, '');
  return Buffer.from(plain.replaceAll(/(?<=[:;,{}])\s+|\s+(?=[{}])/g, ''));
}

function assetOf(name: string, body: Buffer): Asset {
  const extension = extname(name);
  const version = hash('sha256', body, 'base64url').slice(0, 16);
  return {
    path: `/assets/${name.slice(0, -extension.length)}.${version}${extension}`,
    contentType: CONTENT_TYPES[extension] ?? 'application/octet-stream',
    body,
    etag: `"${version}"`,
  };
}

/** Serves files under names that change with their content. */
export function serveAssets({
  find,
}: {
  find(path: string): Asset | undefined | Promise<Asset | undefined>;
}): Middleware {
  return async (ctx, next) => {
    const asset = await find(ctx.path);
    if (asset === undefined || !['GET', 'HEAD'].includes(ctx.method)) return next();
    ctx.state['route'] = ASSETS_ROUTE;
    // A year, the longest that caches heed.
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    ctx.set('Content-Type', asset.contentType);
    if (asset.contentType === 'image/svg+xml') ctx.set('Content-Security-Policy', PICTURE_POLICY);
    ctx.set('ETag', asset.etag);
    ctx.status = ctx.get('if-none-match') === asset.etag ? 304 : 200;
    if (ctx.status === 200) ctx.body = asset.body;
  };
}
