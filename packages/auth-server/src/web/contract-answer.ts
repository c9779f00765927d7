import type { Context } from 'koa';
import { digest } from '../crypto/digest.ts';
import { answerUnchanged } from './unchanged.ts';

const MAX_AGE_S = 300;

/** Answers with an OpenAPI document, which is public: for every page, with a validator. */
export function contractAnswer(document: object): (ctx: Context) => void {
  const text = JSON.stringify(document);
  const etag = `"${digest(text)}"`;
  return (ctx) => {
    ctx.set('Access-Control-Allow-Origin', '*');
    ctx.set('Cache-Control', `public, max-age=${MAX_AGE_S}`);
    if (answerUnchanged(ctx, etag)) return;
    ctx.type = 'application/json';
    ctx.body = text;
  };
}
