import { type KoaContextWithOIDC, Provider } from 'oidc-provider';

export type AccessToken = InstanceType<Provider['AccessToken']>;
type Payload = Parameters<AccessToken['adapter']['upsert']>[1];

/**
 * Puts `save` in place of the method by which the library makes every access token. The library
 * reads the scope of its answer from the token afterwards.
 *
 * @param save gets the library's own `write`, which signs the token or stores it; returns what
 *   `write` returned, the text of the token.
 */
export function replaceTokenSave(
  provider: Provider,
  save: (
    token: AccessToken,
    write: () => Promise<string>,
    ctx: Partial<KoaContextWithOIDC>,
  ) => Promise<string>,
): void {
  const { prototype } = provider.AccessToken;
  const { save: own } = prototype;
  prototype.save = function replaced(this: AccessToken) {
    return save(this, () => own.call(this), Provider.ctx ?? {});
  };
}

/**
 * Stores a signed token under its own text, as the library stores tokens for userinfo: userinfo looks
 * for any token by its text, and refuses those with an audience. The library keeps no signed token
 * itself.
 */
export async function keepForUserinfo(
  token: AccessToken,
  text: string,
  { iat, exp }: { readonly iat?: number; readonly exp?: number },
): Promise<void> {
  const { kind, clientId, accountId, grantId, gty, scope, sid, sessionUid, jkt } = token;
  // What the token is bound to, userinfo demands too.
  const bound = { jkt, 'x5t#S256': token['x5t#S256'] };
  const kept = { kind, clientId, accountId, grantId, gty, scope, sid, sessionUid, iat, exp };
  await token.adapter.upsert(text, { ...kept, ...bound } as Payload, token.expiration);
}
