import type { Clock } from '@cls/shared/clock';
import type { Context } from 'koa';
import type { ApiRefused } from '../balances/api-client.ts';
import type { KeepSessions, KeptSession } from '../sessions/keep-sessions.ts';
import { sessionEndedPage } from '../sign-in/pages.ts';
import { safeReturn, sameWith } from '../web/address.ts';
import type { Pages } from '../web/page.ts';
import { type ProblemDetails, type ProblemKind, problemPage } from './problem-page.ts';

export interface RefusalDeps {
  readonly sessions: Pick<KeepSessions, 'end'>;
  readonly pages: Pages;
  readonly clock: Clock;
  readonly signIn: (ctx: Context, returnTo: string, silent: boolean) => Promise<void>;
}

/** A token that is younger, is refused and was not revoked will be refused the next time too. */
const FRESH_MS = 60_000;

interface Answer {
  readonly status: number;
  readonly kind: ProblemKind;
  /** What is taken out of the address for the way on. */
  readonly without?: readonly string[];
  readonly again?: true;
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  insufficient_permission: { status: 403, kind: 'no_permission' },
  not_found: { status: 404, kind: 'not_found' },
  rate_limited: { status: 429, kind: 'throttled', again: true },
  too_many_at_once: { status: 429, kind: 'throttled', again: true },
  statement_budget_spent: { status: 429, kind: 'throttled', again: true },
  as_of_in_future: { status: 400, kind: 'date_outside', without: ['asOf'] },
  as_of_before_book: { status: 400, kind: 'date_outside', without: ['asOf'] },
  from_before_book: { status: 400, kind: 'date_outside', without: ['fromDate'] },
  known_at_in_future: { status: 400, kind: 'known_outside', without: ['knownAt', 'asOf'] },
  known_at_before_book: { status: 400, kind: 'known_outside', without: ['knownAt', 'asOf'] },
  invalid_cursor: { status: 400, kind: 'list_ended', without: ['cursor', 'carried'] },
  cursor_mismatch: { status: 400, kind: 'list_ended', without: ['cursor', 'carried'] },
  version_brownout: { status: 503, kind: 'unavailable', again: true },
  version_retired: { status: 503, kind: 'unavailable' },
  fx_rate_missing: { status: 422, kind: 'rate_missing', without: ['reportingCurrency', 'fxDate'] },
};
/** The token is the fault, and not the question. */
export const TOKEN_CODES = [
  ...['missing_token', 'token_expired', 'token_revoked', 'token_untrusted', 'token_invalid'],
];

/** Words and a way on for each refusal of the API. */
export async function showRefusal(
  { sessions, pages, clock, signIn }: RefusalDeps,
  ctx: Context,
  { identifier, session }: { identifier: string; session: KeptSession },
  refused: ApiRefused,
): Promise<void> {
  ctx.state['refused'] = refused.code;
  if (TOKEN_CODES.includes(refused.code)) {
    const isFresh = clock.now().getTime() - session.signedInAt < FRESH_MS;
    const isRevoked = refused.code === 'token_revoked';
    if (isFresh && !isRevoked) return pages.show(ctx, 502, problemPage('not_trusted'));
    await sessions.end(identifier);
    // The person signed out elsewhere, and the issuer has not said so yet.
    if (isFresh) return pages.show(ctx, 401, sessionEndedPage(safeReturn(ctx.url)));
    return signIn(ctx, ctx.url, true);
  }
  const { status, kind, again, ...answer } = answerTo(refused);
  if (refused.retryAfterS !== undefined) ctx.set('Retry-After', refused.retryAfterS);
  const query = new URLSearchParams(ctx.querystring);
  const parameters = refused.faults.map(({ parameter }) => parameter);
  const without = answer.without ?? [];
  const changes = Object.fromEntries(without.map((name) => [name, undefined]));
  const details: ProblemDetails = {
    ...(without.length === 0 ? {} : { href: sameWith(ctx.path, query, changes) }),
    ...(again ? { again: safeReturn(ctx.url) } : {}),
    ...(refused.retryAfterS === undefined ? {} : { waitS: refused.retryAfterS }),
    ...(kind === 'bad_address' ? { parameters, href: ctx.path } : {}),
  };
  pages.show(ctx, status, problemPage(kind, details));
}

function answerTo({ code, status }: ApiRefused): Answer {
  const known = ANSWERS[code];
  if (known !== undefined) return known;
  if (status >= 500) return { status: 503, kind: 'unavailable', again: true };
  return { status: 400, kind: 'bad_address' };
}
