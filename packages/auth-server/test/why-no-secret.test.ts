import type { Permission } from '@cls/shared/access-token';
import { expect } from 'chai';
import { whyNoSecret } from '../src/clients/manage-secrets.ts';

const VIEW = 'cls-deal.view';
const FULL = 'external-api.fullcontrol';
const MANAGE = 'cls-accounts.manage';
const SOME: readonly Permission[] = [VIEW];
const KEY = { token_endpoint_auth_method: 'private_key_jwt' } as const;
const BOUND = { dpop_bound_access_tokens: true } as const;

describe('a secret of a service account', () => {
  for (const { to, has, gives = SOME, proof = null, why } of [
    { to: 'a client that has its permissions', has: [VIEW], why: undefined },
    { to: 'a client that has or may grant more', has: [FULL, VIEW, MANAGE], why: undefined },
    { to: 'a person that has its permissions', has: [VIEW], why: undefined },
    { to: 'a client that lacks one of them', has: [VIEW], gives: [VIEW, FULL], why: 'permissions' },
    { to: 'a client that may view every deal', has: [FULL], why: 'permissions' },
    { to: 'a person that lacks one of them', has: [VIEW], gives: [MANAGE], why: 'permissions' },
    { to: 'a client with no permission', has: [], why: 'permissions' },
    { to: 'the service account itself', has: [VIEW], why: 'own' },
    { to: 'the service account itself, which gained one', has: [], why: 'own' },
    { to: 'a client, where its tokens are bound', has: [VIEW], proof: BOUND, why: undefined },
    { to: 'a client, where it proves itself by a key', has: [VIEW], proof: KEY, why: 'none' },
    { to: 'a person, where it proves itself by a key', has: [], proof: KEY, why: 'none' },
    { to: 'the service account itself, by a key', has: [VIEW], proof: KEY, why: 'none' },
  ] as const) {
    it(`is ${why === undefined ? 'handed' : `refused (${why})`} to ${to}`, () => {
      const id = 'svc_asked';
      const self = to.startsWith('the service account');
      const clientId = to.startsWith('a person') ? undefined : self ? id : 'svc_other';
      const account = { id, permissions: gives, proof };
      expect(whyNoSecret(account, { clientId, permissions: has })).to.equal(why);
    });
  }
});
