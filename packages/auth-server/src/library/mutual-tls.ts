import type { X509Certificate } from 'node:crypto';
import { clientCertificate, isCertified } from '@cls/shared/access/client-certificate';
import type { Configuration } from 'oidc-provider';
import { ROUTES } from '../web/paths.ts';

export interface MutualTlsSettings {
  readonly issuer: string;
  readonly mtlsBaseUrl: string | undefined;
}

type MutualTls = NonNullable<NonNullable<Configuration['features']>['mTLS']>;

/** Mutual TLS (RFC 8705), where a proxy in front asks callers for certificates. */
export function mutualTls({ mtlsBaseUrl }: MutualTlsSettings): MutualTls {
  const enabled = mtlsBaseUrl !== undefined;
  return {
    enabled,
    certificateBoundAccessTokens: enabled,
    selfSignedTlsClientAuth: enabled,
    tlsClientAuth: enabled,
    getCertificate: (ctx) => clientCertificate(ctx.req, enabled),
    certificateAuthorized: (ctx) => isCertified(ctx.req),
    certificateSubjectMatches(ctx, property, expected) {
      const certificate = clientCertificate(ctx.req, enabled);
      if (certificate === undefined) return false;
      if (property === 'tls_client_auth_subject_dn') return subjectOf(certificate) === expected;
      const exactly = { subject: 'never', wildcards: false } as const;
      return (
        property === 'tls_client_auth_san_dns' &&
        certificate.checkHost(expected, exactly) !== undefined
      );
    },
  };
}

/** RFC 4514. Node has each part escaped, on a line of its own, the first one last. */
function subjectOf({ subject }: X509Certificate): string {
  return subject.split('\n').reverse().join(',').replaceAll(' + ', '+');
}

const ALIASED = {
  token_endpoint: ROUTES.token,
  revocation_endpoint: ROUTES.revocation,
  introspection_endpoint: ROUTES.introspection,
  pushed_authorization_request_endpoint: ROUTES.pushed_authorization_request,
  device_authorization_endpoint: ROUTES.device_authorization,
  userinfo_endpoint: ROUTES.userinfo,
};

/** RFC 8705 §5 */
export function endpointAliases({ issuer, mtlsBaseUrl }: MutualTlsSettings): object {
  if (mtlsBaseUrl === undefined || mtlsBaseUrl === issuer) return {};
  const aliases = Object.entries(ALIASED).map(([name, path]) => [name, mtlsBaseUrl + path]);
  return { mtls_endpoint_aliases: Object.fromEntries(aliases) };
}
