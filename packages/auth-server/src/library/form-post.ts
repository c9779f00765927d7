import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { showInPlace } from './reliances/error-in-place.ts';

const WEB = /^https?:\/\//i;

/**
 * `response_mode=form_post` (OAuth 2.0 Form Post Response Mode) to a native application's own
 * scheme: a browser sends forms to web addresses alone.
 *
 * @throws {errors.InvalidRequest} before anybody signs in.
 */
export function refuseUndeliverableForm(ctx: KoaContextWithOIDC): void {
  if (!isUndeliverable(ctx)) return;
  throw new errors.InvalidRequest(
    'expected a redirect_uri of https or http with response_mode=form_post, or no response_mode',
  );
}

/** Whatever is wrong with such a request is shown here: its error would be a form as well. */
export function showUndeliverableErrors(provider: Provider): void {
  showInPlace(provider, isUndeliverable);
}

function isUndeliverable({ oidc }: KoaContextWithOIDC): boolean {
  const { response_mode: mode, redirect_uri: target } = oidc.params ?? {};
  return mode === 'form_post' && typeof target === 'string' && !WEB.test(target);
}
