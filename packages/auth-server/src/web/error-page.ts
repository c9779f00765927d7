import type { Context } from 'koa';
import { type ErrorModel, errorPage } from './error.ts';
import type { Pages } from './page.ts';

export interface ShownError extends Omit<ErrorModel, 'frame' | 'referenceId'> {
  readonly status: number;
}

/** Shows an error page with the request's id as the reference for support. */
export function showErrorPage(pages: Pages, ctx: Context, { status, ...error }: ShownError): void {
  const referenceId = String(ctx.state['requestId'] ?? '');
  ctx.state['refused'] ??= kindOf(error);
  if (error.waitS !== undefined) ctx.set('Retry-After', `${error.waitS}`);
  pages.show(ctx, {
    status,
    ...(ctx.method === 'GET' ? {} : { again: false }),
    render: (frame, i18n) => errorPage({ frame, referenceId, ...error }, i18n),
  });
}

/**
 * The reason in the request's log line: for a protocol's error its code and description, so that
 * the reference leads to them.
 */
function kindOf({ kind, technical }: Omit<ShownError, 'status'>): string {
  if (technical === undefined) return kind;
  const { error, description } = technical;
  return description === undefined ? error : `${error}: ${description}`;
}
