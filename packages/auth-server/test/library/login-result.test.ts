import { expect } from 'chai';
import type { KoaContextWithOIDC, Provider } from '../../src/library/oidc.ts';
import {
  giveResult,
  loginBroughtBy,
  type ProvenLogin,
} from '../../src/library/reliances/login-result.ts';
import { startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('the result of a sign-in', () => {
  it('comes back whole with the request that it has led to, and with none after it', async () => {
    const brought: (ProvenLogin | undefined)[] = [];
    const results: unknown[] = [];
    const given: ProvenLogin[] = [];
    const bare = await startBareProvider({
      prepare(provider: Provider) {
        provider.use(async (ctx, next) => {
          await next();
          if (!ctx.path.startsWith('/auth/')) return;
          const oidcCtx = ctx as unknown as KoaContextWithOIDC;
          brought.push(loginBroughtBy(oidcCtx));
          results.push(oidcCtx.oidc.result?.login);
        });
        provider.use(async (ctx, next) => {
          if (!ctx.path.startsWith('/interaction/')) return next();
          const { uid, prompt } = await provider.interactionDetails(ctx.req, ctx.res);
          const oidcCtx = ctx as unknown as KoaContextWithOIDC;
          ctx.status = 303;
          if (prompt.name === 'second') {
            const consent = { grantId: 'none' };
            return ctx.redirect(await giveResult(provider, oidcCtx, { consent }));
          }
          const login = {
            ...{ accountId: 'person', amr: ['pwd'], acr: 'acr', remember: false },
            ...{ ts: 1_700_000_000, provenIn: uid },
          };
          given.push(login);
          ctx.redirect(await giveResult(provider, oidcCtx, { login }));
        });
      },
      configuration: { interactions: await twoPrompts() },
    });
    try {
      await bare.signIn(new Browser());
      expect(given).to.have.length(1);
      expect(brought).to.deep.equal([given[0], undefined]);
      expect(results).to.deep.equal([given[0], given[0]]);
      const session = [...bare.stored].find(([id]) => id.startsWith('Session '))?.[1];
      expect(session).to.include({ loginTs: 1_700_000_000, transient: true, acr: 'acr' });
    } finally {
      bare.stop();
    }
  });
});

/** Asks for something else after the sign-in, as for a consent. */
async function twoPrompts() {
  const { interactionPolicy } = await import('../../src/library/oidc.ts');
  const { base, Check, Prompt } = interactionPolicy;
  const policy = base();
  policy.remove('consent');
  const wanted = new Check('wanted', 'something is wanted', (ctx) =>
    ctx.oidc.result?.consent === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
  policy.add(new Prompt({ name: 'second', requestable: false }, wanted));
  return { policy, url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` };
}
