import { type OrganisationModel, organisationPage } from '../../views/sign-in/organisation.ts';
import { actionOf, type Form, pageOf, type Visit } from './interaction-context.ts';
import { sendOn } from './refresh-redirect.ts';
import { showSignIn } from './sign-in-step.ts';
import { leaveFor } from './upstream-routes.ts';

/** Asks for the e-mail address; its domain shows the organisation. */
export async function showOrganisation(
  visit: Visit,
  problems: OrganisationModel['problems'] = [],
  email?: string,
): Promise<void> {
  const { parts, ctx, details } = visit;
  parts.pages.show(ctx, {
    ...pageOf(visit),
    problems,
    render: (frame, i18n) =>
      organisationPage(
        {
          frame,
          action: actionOf(visit, 'find-organisation'),
          ...(email === undefined ? {} : { email }),
          signInHref: parts.pages.path(`/interaction/${details.uid}`),
          problems,
        },
        i18n,
      ),
  });
}

/** The sign-in page then names it, and where it leads. */
export async function findOrganisation(visit: Visit, form: Form): Promise<void> {
  const email = (form['email'] ?? '').slice(0, 254);
  const field = 'email';
  if (email.trim() === '') return showOrganisation(visit, [{ field, code: 'email_required' }]);
  if ((await visit.parts.upstreamSignIn.offered(email)) === undefined) {
    return showOrganisation(visit, [{ field, code: 'organisation_unknown' }], email);
  }
  return showSignIn(visit, [], form);
}

/** The library's reasons for which being signed in at the organisation is not enough. */
const PROOF_WANTED = ['login_prompt', 'max_age'];

/** To the organisation that the domain of the e-mail address belongs to. */
export async function goToOrganisation(visit: Visit, form: Form): Promise<void> {
  const { parts, ctx, details } = visit;
  const email = (form['email'] ?? '').slice(0, 254);
  const again = details.prompt.reasons.some((reason) => PROOF_WANTED.includes(reason));
  const begun = await parts.upstreamSignIn.begin(email, details.uid, again);
  if ('problem' in begun) return showSignIn(visit, [begun.problem], form);
  leaveFor(ctx, parts, begun.state, details.uid);
  sendOn(parts.pages, ctx, begun.href);
}
