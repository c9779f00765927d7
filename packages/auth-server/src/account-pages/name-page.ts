import { changeNamePage } from '../views/account/change-name.ts';
import { actorOf } from '../web/browser.ts';
import type { Problem } from '../web/form.ts';
import type { AccountPageContext, Form } from './account-page-context.ts';
import { goTo, PLACES, show } from './places.ts';

export const NAME_PATH = '/account/name';

export async function showName(
  context: AccountPageContext,
  problems: readonly Problem<'name'>[] = [],
  given?: string,
): Promise<void> {
  const { deps, account } = context;
  const action = deps.pages.path(NAME_PATH);
  const cancelHref = deps.pages.path(PLACES.overview);
  const name = given ?? account.name ?? '';
  show(context, {
    problems,
    render: (frame, i18n) => changeNamePage({ frame, action, name, cancelHref, problems }, i18n),
  });
}

export async function submitName(context: AccountPageContext, form: Form): Promise<void> {
  const { deps, ctx, account } = context;
  const { name = '' } = form;
  const problem = await deps.changeName(account, name, actorOf(ctx));
  if (problem !== undefined) return showName(context, [problem], name);
  return goTo(context, 'overview', 'name_changed');
}
