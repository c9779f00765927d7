import { html } from '@cls/shared/http/html';
import type { I18n, KeyAfter } from './i18n.ts';
import { cardPage, contactLine, type NextLink, nextLinkHtml, type PageModel } from './layout.ts';

/** Kinds of failure that have a page; each has a title, what happened and what to do. */
export type ErrorKind = KindOf<KeyAfter<'error.'>>;
type KindOf<Key extends string> = Key extends `${infer Kind}.title` ? Kind : never;

export interface ErrorModel extends PageModel {
  readonly kind: ErrorKind;
  /** The request id, as in the log. */
  readonly referenceId: string;
  readonly nextLink: NextLink;
  /** Seconds until it may work again, where that is known. */
  readonly waitS?: number;
  /** For the application's developers, folded away. Shown as it is: no secret, no stack. */
  readonly technical?: { readonly error: string; readonly description?: string };
}

/** What a protocol error (RFC 6749 §4.1.2.1, OIDC Core §3.1.2.6, RFC 9126, …) means to a person. */
const KIND_OF_ERROR: Readonly<Record<string, ErrorKind>> = {
  invalid_request: 'application_request',
  invalid_request_object: 'application_request',
  invalid_request_uri: 'application_request',
  invalid_authorization_details: 'application_request',
  invalid_target: 'application_request',
  request_not_supported: 'application_request',
  request_uri_not_supported: 'application_request',
  registration_not_supported: 'application_request',
  unsupported_response_type: 'application_request',
  unsupported_response_mode: 'application_request',
  unsupported_grant_type: 'application_request',
  invalid_dpop_proof: 'application_request',
  invalid_client: 'application_unknown',
  unauthorized_client: 'application_not_allowed',
  invalid_redirect_uri: 'redirect_mismatch',
  invalid_scope: 'permission_not_allowed',
  insufficient_scope: 'permission_not_allowed',
  access_denied: 'access_denied',
  login_required: 'sign_in_needed',
  interaction_required: 'sign_in_needed',
  consent_required: 'sign_in_needed',
  account_selection_required: 'sign_in_needed',
  invalid_token: 'sign_in_needed',
  unmet_authentication_requirements: 'stronger_sign_in_needed',
  expired_token: 'link_expired',
  invalid_grant: 'link_expired',
  slow_down: 'too_many_attempts',
  temporarily_unavailable: 'unavailable',
  server_error: 'server_error',
};

/** An unknown error is shown as our own failure, never as its code. */
export function errorKind(error: string): ErrorKind {
  const kind = Object.hasOwn(KIND_OF_ERROR, error) ? KIND_OF_ERROR[error] : undefined;
  return kind ?? 'server_error';
}

export function errorPage(model: ErrorModel, i18n: I18n): string {
  const { kind, waitS, nextLink, technical } = model;
  const body = html`<p class="lead">${i18n.t(`error.${kind}.text`)}</p>
<p>${i18n.t(`error.${kind}.advice`)}${waitS !== undefined && html` ${i18n.t('page.tryAgainIn', { wait: i18n.duration(waitS) })}`}</p>
${nextLinkHtml(nextLink, i18n)}
${contactLine(model.frame, i18n)}
<p class="reference">${i18n.t('page.reference')} <code>${model.referenceId}</code></p>
${
  technical &&
  html`<details><summary>${i18n.t('page.technical')}</summary>
<p><code>${technical.error}</code></p>
${technical.description !== undefined && html`<p lang="en">${technical.description}</p>`}</details>`
}`;
  return cardPage(model, { title: i18n.t(`error.${kind}.title`), body }, i18n);
}
