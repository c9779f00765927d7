import { type OrganisationModel, organisationPage } from '../../views/sign-in/organisation.ts';
import { actionOf, type Form, type InteractionContext, pageOf } from './interaction-context.ts';
import { showSignIn } from './sign-in-step.ts';
import { refreshRedirect, rememberUpstreamReturn } from './upstream-routes.ts';

/** Asks for the e-mail address; its domain shows the organisation. */
export async function showOrganisation(
  context: InteractionContext,
  problems: OrganisationModel['problems'] = [],
  email?: string,
): Promise<void> {
  const { deps, ctx, details } = context;
  deps.pages.show(ctx, {
    ...pageOf(context),
    problems,
    render: (frame, i18n) =>
      organisationPage(
        {
          frame,
          action: actionOf(context, 'find-organisation'),
          ...(email === undefined ? {} : { email }),
          signInHref: deps.pages.path(`/interaction/${details.uid}`),
          problems,
        },
        i18n,
      ),
  });
}

/** The sign-in page then names the organisation, and the host of its provider. */
export async function findOrganisation(context: InteractionContext, form: Form): Promise<void> {
  const email = (form['email'] ?? '').slice(0, 254);
  const field = 'email';
  if (email.trim() === '') return showOrganisation(context, [{ field, code: 'email_required' }]);
  if ((await context.deps.upstreamSignIn.offered(email)) === undefined) {
    return showOrganisation(context, [{ field, code: 'organisation_unknown' }], email);
  }
  return showSignIn(context, [], form);
}

/**
 * The library's reasons that demand a fresh proof: a running session at the organisation is not
 * enough.
 */
const PROOF_WANTED = ['login_prompt', 'max_age'];

/** Redirects to the organisation of the e-mail address's domain. */
export async function goToOrganisation(context: InteractionContext, form: Form): Promise<void> {
  const { deps, ctx, details } = context;
  const email = (form['email'] ?? '').slice(0, 254);
  const again = details.prompt.reasons.some((reason) => PROOF_WANTED.includes(reason));
  const begun = await deps.upstreamSignIn.begin(email, details.uid, again);
  if ('problem' in begun) return showSignIn(context, [begun.problem], form);
  rememberUpstreamReturn(ctx, deps, begun.state, details.uid);
  refreshRedirect(deps.pages, ctx, begun.href);
}
