import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

/**
 * Shows errors of the authorization endpoint on a page of ours instead of sending them to the
 * application. The library tells listeners of an error before it decides where the error goes.
 */
export function showInPlace(provider: Provider, when: (ctx: KoaContextWithOIDC) => boolean): void {
  provider.on('authorization.error', (ctx, error) => {
    if (when(ctx)) error.allow_redirect = false;
  });
}
