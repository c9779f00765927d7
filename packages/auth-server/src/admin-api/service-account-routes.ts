import { SECRETS_PERMISSION } from '@cls/shared/access-token';
import type { ServiceAccountDirectory } from '../clients/service-account.ts';
import type { AnswerLeak } from '../leaks/answer-leak.ts';
import { presentCompromised } from './present.ts';
import { readNothing } from './read-body.ts';
import { readNoQuery } from './read-query.ts';
import { serviceAccountNotFound, serviceAccountWithoutSecret } from './refusals.ts';
import type { AdminRoute, Handle } from './route.ts';

export interface ServiceAccountRouteDeps {
  readonly serviceAccounts: ServiceAccountDirectory;
  readonly answerLeak: AnswerLeak;
}

export function serviceAccountRoutes(deps: ServiceAccountRouteDeps): readonly AdminRoute[] {
  return [
    {
      permission: SECRETS_PERMISSION,
      pattern: /^\/admin\/v1\/service-accounts\/([^/]+)\/compromised$/,
      handlers: { POST: compromised(deps) },
    },
  ];
}

/**
 * Ends all secrets of a service account of the caller's customer. The caller gets the new secret only
 * if that gives it no permission beyond those that it has or may grant, and never its own: whoever
 * has the secret that leaked would get the next one too.
 */
function compromised({ serviceAccounts, answerLeak }: ServiceAccountRouteDeps): Handle {
  return async ({ id, customer, permissions, grantablePermissions, actor, query, request }) => {
    readNoQuery(query);
    await readNothing(request);
    const account = await serviceAccounts.find(id);
    if (account === undefined || account.customer !== customer) throw serviceAccountNotFound();
    if (account.proof?.token_endpoint_auth_method !== undefined) {
      throw serviceAccountWithoutSecret();
    }
    const within = new Set<string>([...permissions, ...grantablePermissions]);
    const newSecret = id !== actor.clientId && account.permissions.every((one) => within.has(one));
    const done = await answerLeak(id, { reportedBy: 'administrator', newSecret, actor });
    if (done === undefined) throw serviceAccountNotFound();
    return { body: presentCompromised(done) };
  };
}
