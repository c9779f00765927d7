import { type BareProvider, CALLBACK, VERIFIER } from './bare-provider.ts';
import { Browser } from './relying-party.ts';

/** Signs a person in at a bare library. @returns the refresh token. */
export async function refreshTokenOf(bare: BareProvider): Promise<string> {
  const code = await bare.signIn(new Browser(), { scope: 'openid read' });
  const answer = await bare.token({
    ...{ grant_type: 'authorization_code', code, code_verifier: VERIFIER },
    redirect_uri: CALLBACK,
  });
  return String(answer['refresh_token']);
}
