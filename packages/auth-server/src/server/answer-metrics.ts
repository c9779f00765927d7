import type { RecordAnswer } from '@cls/shared/http/request-log';
import type { Metrics } from '@cls/shared/metrics/metrics';
import { ROUTES } from '../web/paths.ts';

/** The protocol's errors and our own reasons, which say more; what is not here is `other`. */
const TOKEN_REASONS = [
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'invalid_scope', 'invalid_target'],
  ...['unauthorized_client', 'unsupported_grant_type', 'access_denied', 'expired_token'],
  ...['authorization_pending', 'slow_down', 'too_many_attempts', 'too_many_tokens'],
  ...[
    'server_error',
    'temporarily_unavailable',
    'mfa_required',
    'mfa_enrolment_required',
    'mfa_token_not_good',
    'changed_meanwhile',
  ],
  ...['wrong_password', 'unknown_email', 'no_password', 'account_disabled', 'customer_disabled'],
  ...['code_wrong', 'code_used', 'throttled'],
];
const SIGN_IN_REASONS = [
  ...['wrong_password', 'unknown_email', 'no_password', 'account_disabled', 'customer_disabled'],
  ...['code_wrong', 'code_used', 'passkey_failed', 'throttled', 'upstream_refused', 'expired'],
];

/** Counts tokens that were refused, and sign-ins in the browser that were, by the reason in the log. */
export function answerMetrics(metrics: Metrics): RecordAnswer {
  const tokenRefused = metrics.counter({
    name: 'cls_tokens_refused_total',
    help: 'Requests for a token that got none.',
    labels: { reason: TOKEN_REASONS },
  });
  const signInRefused = metrics.counter({
    name: 'cls_sign_ins_refused_total',
    help: 'Attempts to sign in on a page that were refused.',
    labels: { reason: SIGN_IN_REASONS },
  });
  return ({ route, status, refused }) => {
    if (route === ROUTES.token && status >= 400) {
      tokenRefused({ reason: kindOf(refused) ?? kindOfStatus(status) });
    } else if (refused !== undefined && isSignIn(route)) {
      signInRefused({ reason: kindOf(refused) ?? '' });
    }
  };
}

function isSignIn(route: string | undefined): boolean {
  return route?.startsWith('/interaction/') === true || route?.startsWith('/upstream/') === true;
}

/** `invalid_client` of `invalid_client: client not found`. */
function kindOf(refused: string | undefined): string | undefined {
  return refused?.split(':', 1)[0];
}

function kindOfStatus(status: number): string {
  return status === 503 ? 'temporarily_unavailable' : 'server_error';
}
