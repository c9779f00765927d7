import { readFormBody } from '@cls/shared/http/read-form-body';
import { isStorable } from '@cls/shared/text';
import type { Context } from 'koa';
import type { Pages } from './page.ts';

export type Form = Readonly<Record<string, string>>;

/** `sent` says only what somebody sent: nothing may be done with it. */
type ReadForm =
  | { readonly form: Form }
  | { readonly refused: 'form_unreadable' | 'form_refused'; readonly sent?: Form };

/**
 * The fields of a form whose page was bound to `bound` (to nothing when that is empty), or why it
 * is refused.
 */
export async function readOurForm(
  pages: Pick<Pages, 'isOurs'>,
  ctx: Context,
  bound: string,
): Promise<ReadForm> {
  const form = await readForm(ctx);
  if (form === undefined) return { refused: 'form_unreadable' };
  return bound !== '' && pages.isOurs(form, bound)
    ? { form }
    : { refused: 'form_refused', sent: form };
}

/**
 * A form's fields, the first of two; undefined when the body is no form, too large, or holds a NUL
 * character, which nobody types and no database takes.
 */
async function readForm(ctx: Context): Promise<Form | undefined> {
  const body = await readFormBody(ctx);
  if (body === undefined || ![...body].flat().every(isStorable)) return undefined;
  return Object.fromEntries([...body].reverse());
}
