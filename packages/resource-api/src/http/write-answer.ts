import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { LONG_ANSWER_BYTES } from '@cls/shared/http/long-answers';
import type { Context } from 'koa';
import type { VersionResponse } from '../versions/api-version.ts';
import { codingFor, encoded } from './compression.ts';
import type { ApiState } from './version-step.ts';

/** Writes what a version answers: caching, validator, compression. */
export async function writeAnswer(
  ctx: Context & { state: ApiState },
  { status, headers, body }: VersionResponse,
): Promise<void> {
  // Of what is large there is no validator, and without one nothing to ask again with.
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  const isValidated = isRead && !(body instanceof Readable);
  const mayStore = isValidated && !isFromBrowser(ctx.req.headers);
  ctx.set('Cache-Control', mayStore ? 'private, no-cache' : 'no-store');
  ctx.set('Vary', 'Authorization, Accept, Accept-Encoding');
  const { resolution, path } = ctx.state.version ?? {};
  if (isRead && resolution?.kind === 'served' && resolution.isLatest) {
    ctx.set('Content-Location', `/api/${resolution.release.id}${path}${ctx.search}`);
  }
  const { Link: next, ...others } = headers;
  const link = next === undefined ? {} : { Link: `${next}, ${ctx.response.get('Link')}` };
  await writeBody(ctx, status, { ...others, ...link }, body, isValidated);
}

/**
 * Whether a browser sends the request: then the answer must not stay on a disk that people share.
 * `Sec-Fetch-Site` is a header that browsers alone set (Fetch Metadata); other clients keep answers
 * to ask for them with their ETag.
 */
export function isFromBrowser(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
}

/**
 * @param isValidated whether bytes get a strong ETag; a request that names it gets 304.
 * @throws {Refusal} where the answer is long, and too many such are under way
 */
export async function writeBody(
  ctx: Context & { state: ApiState },
  status: number,
  headers: Readonly<Record<string, string>>,
  body: VersionResponse['body'],
  isValidated = true,
): Promise<void> {
  // Answers name their version, so those of two versions differ.
  const etag = isValidated && !(body instanceof Readable) ? etagOf(body) : undefined;
  const coding = codingFor(ctx.req.headers['accept-encoding'] as string | undefined, body);
  const condition = ctx.req.headers['if-none-match']?.replaceAll(CODED, '"');
  const isKnown = etag !== undefined && condition !== undefined && matches(condition, etag);
  const sent = isKnown || coding === undefined ? body : await encoded(body, coding);
  // A stream was counted before it was asked for.
  const bytes = isKnown || sent instanceof Readable ? 0 : Buffer.byteLength(sent);
  if (bytes > LONG_ANSWER_BYTES) ctx.state.beginLongAnswer();
  if (etag !== undefined) {
    // A strong validator tells one representation from another (RFC 9110 §8.8.3.3).
    ctx.set('ETag', coding === undefined ? etag : `${etag.slice(0, -1)}-${coding}"`);
  }
  if (isKnown) {
    ctx.status = 304;
    return;
  }
  ctx.status = status;
  ctx.set({ ...headers });
  if (coding !== undefined) ctx.set('Content-Encoding', coding);
  ctx.body = sent;
}

function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}

/** The end of a validator of a compressed body. */
const CODED = /-(?:br|gzip)"/g;

/**
 * Whether `If-None-Match` names this representation: weak comparison over a list, or `*` (RFC
 * 9110 §13.1.2). Koa's own check gives up when the client also sends `Cache-Control: no-cache`,
 * which Node's fetch always does; an origin server need not.
 */
function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
