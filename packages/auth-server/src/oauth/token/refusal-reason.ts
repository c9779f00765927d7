import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { errors, type Provider } from '../../library/oidc.ts';
import { CredentialsRefused } from './token-error.ts';

/** Why a request of the protocol was refused, for the operator's log alone; nothing that was sent. */
export function refusalReason(error: unknown): string {
  if (error instanceof CredentialsRefused) return error.why;
  if (error instanceof DatabaseUnavailable) return 'temporarily_unavailable';
  if (!(error instanceof errors.OIDCProviderError)) return 'server_error';
  const detail = error.error_detail ?? error.error_description;
  return detail === undefined ? error.error : `${error.error}: ${detail}`;
}

const EVENTS = [
  'authorization.error',
  'pushed_authorization_request.error',
  'device_authorization.error',
  'code_verification.error',
  'end_session.error',
  'end_session_confirm.error',
  'revocation.error',
  'introspection.error',
  'userinfo.error',
] as const;

/** The library's answer says less than the library knows; the request's log line has the rest. */
export function recordRefusals(provider: Provider): void {
  for (const event of EVENTS) {
    provider.on(event as 'authorization.error', (ctx, error) => {
      ctx.state['refused'] = refusalReason(error);
    });
  }
}
