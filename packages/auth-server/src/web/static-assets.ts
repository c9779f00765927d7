import type { Middleware } from 'koa';
import { ASSET_CACHE_CONTROL, type Assets } from './assets.ts';

const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The pages' style sheet, scripts and icon, under names that change with their content. */
export function staticAssets(assets: Assets): Middleware {
  return async (ctx, next) => {
    const asset = assets.find(ctx.path);
    if (asset === undefined) return next();
    ctx.set('Cache-Control', ASSET_CACHE_CONTROL);
    ctx.set('Content-Type', asset.contentType);
    // A picture that is opened by itself runs nothing, whoever drew it.
    if (asset.contentType === 'image/svg+xml') ctx.set('Content-Security-Policy', PICTURE_POLICY);
    ctx.set('ETag', asset.etag);
    ctx.status = ctx.get('if-none-match') === asset.etag ? 304 : 200;
    if (ctx.status === 200) ctx.body = asset.body;
  };
}
