import { X509Certificate } from 'node:crypto';
import { CommandRefused } from '@cls/shared/cli/command-line';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { type ClientProof, keySetFault, PROOF_METHODS } from '../clients/client-proof.ts';
import { contentOf } from './option-values.ts';

/** Adds the options that say how a client proves itself. */
export function addProofOptions(command: Command): Command {
  return command
    .option(
      '--auth-method <method>',
      `how it proves itself: client_secret, ${PROOF_METHODS.join(', ')}; with the options below it replaces all that was registered of these`,
    )
    .option('--jwks <file>', 'its public keys, a JSON Web Key Set; for private_key_jwt')
    .option('--jwks-uri <url>', 'the https URL where it publishes them, in place of --jwks')
    .option('--certificate <file>', 'its own certificate, PEM; for self_signed_tls_client_auth')
    .option(
      '--tls-subject-dn <dn>',
      'the subject of its certificate (RFC 4514); for tls_client_auth',
    )
    .option('--tls-san-dns <name>', 'the DNS name in its certificate, in place of the subject')
    .option(
      '--binding <kind>',
      'what its tokens are bound to: dpop, certificate or none; by default certificate for the two methods with certificates, else none',
    )
    .option(
      '--fapi2',
      'hold it to the FAPI 2.0 Security Profile: pushed requests, and a method and a binding without a secret',
    );
}

const BINDING = {
  dpop: { dpop_bound_access_tokens: true },
  certificate: { tls_client_certificate_bound_access_tokens: true },
  none: {},
} as const;

/** What belongs to which method. */
const DETAILS = {
  jwks: 'private_key_jwt',
  jwksUri: 'private_key_jwt',
  certificate: 'self_signed_tls_client_auth',
  tlsSubjectDn: 'tls_client_auth',
  tlsSanDns: 'tls_client_auth',
} as const;

const AN_HTTPS_URL = 'expected an https URL without user and fragment';
const OPTIONS = z
  .object({
    authMethod: z.enum(['client_secret', ...PROOF_METHODS]).optional(),
    binding: z.enum(['dpop', 'certificate', 'none']).optional(),
    fapi2: z.literal(true).optional(),
    jwks: z.string().transform(keySetIn).optional(),
    jwksUri: z.string().refine(isHttps, AN_HTTPS_URL).optional(),
    certificate: z.string().transform(certificateIn).optional(),
    tlsSubjectDn: z.string().min(3).max(1_000).optional(),
    tlsSanDns: z.hostname().optional(),
  })
  .superRefine((options, context) => {
    const { authMethod, binding: bound, fapi2, ...details } = options;
    const binding = bound ?? defaultBinding(authMethod);
    const methods = Object.keys(details).map((name) => DETAILS[name as keyof typeof DETAILS]);
    const needed = authMethod === undefined || authMethod === 'client_secret' ? 0 : 1;
    const fits = methods.length === needed && methods.every((method) => method === authMethod);
    if (!fits || (bound && !authMethod)) {
      context.addIssue({ code: 'custom', message: EXPECTED });
    }
    if (fapi2 && (needed === 0 || binding === 'none')) {
      context.addIssue({ code: 'custom', message: FAPI2_EXPECTED });
    }
  });

const EXPECTED = `expected --auth-method with what it needs, and no more:
  client_secret
  private_key_jwt with --jwks or --jwks-uri
  tls_client_auth with --tls-subject-dn or --tls-san-dns
  self_signed_tls_client_auth with --certificate`;

const FAPI2_EXPECTED = '--fapi2 needs a method without a secret, and --binding dpop or certificate';

function defaultBinding(method: string | undefined): 'certificate' | 'none' {
  return /tls/.test(method ?? '') ? 'certificate' : 'none';
}

/** @throws {CommandRefused} for a client that proves itself by a key or a certificate. */
export function refuseWithoutSecret(proof: ClientProof | null): void {
  const method = proof?.token_endpoint_auth_method;
  if (method === undefined) return;
  throw new CommandRefused(
    `it proves itself by ${method} and has no secret; for one, first: update --auth-method client_secret`,
  );
}

/** For the audit: the method and the binding; keys are not named. */
export function aboutProof(proof: ClientProof | null | undefined): readonly string[] {
  if (proof === undefined) return [];
  const bound = Object.keys(proof ?? {}).filter((name) => name.endsWith('_bound_access_tokens'));
  return [proof?.token_endpoint_auth_method ?? 'client_secret', ...bound];
}

/** What is to be registered; undefined where no option says something, null for a secret alone. */
export function readProof(given: object): ClientProof | null | undefined {
  const options = readOptions(OPTIONS, given);
  const { authMethod, jwks, jwksUri, certificate, tlsSubjectDn, tlsSanDns } = options;
  if (authMethod === undefined) return undefined;
  const { binding = defaultBinding(authMethod) } = options;
  if (authMethod === 'client_secret') return binding === 'none' ? null : BINDING[binding];
  const keys = jwks ?? certificate;
  return {
    token_endpoint_auth_method: authMethod,
    ...(keys && { jwks: keys }),
    ...(jwksUri && { jwks_uri: jwksUri }),
    ...(tlsSubjectDn && { tls_client_auth_subject_dn: tlsSubjectDn }),
    ...(tlsSanDns && { tls_client_auth_san_dns: tlsSanDns }),
    ...BINDING[binding],
    ...(options.fapi2 && { fapi2: true, require_pushed_authorization_requests: true }),
  };
}

function isHttps(text: string): boolean {
  const { protocol, username, hash } = URL.canParse(text) ? new URL(text) : NO_URL;
  return protocol === 'https:' && username === '' && hash === '';
}

const NO_URL = { protocol: '', username: '', hash: '' };

type KeySet = NonNullable<ClientProof['jwks']>;

function keySetIn(file: string, context: z.RefinementCtx): KeySet {
  let message: string | undefined = 'expected a file in JSON';
  try {
    const document = JSON.parse(contentOf(file).toString());
    message = keySetFault(document);
    if (message === undefined) return document;
  } catch (error) {
    // The parser's own message would quote the file.
    if (!(error instanceof SyntaxError)) throw error;
  }
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** RFC 8705 §2.2.2: the certificate stands in a key set. */
function certificateIn(file: string, context: z.RefinementCtx): KeySet {
  const pem = contentOf(file);
  try {
    const { raw, publicKey } = new X509Certificate(pem);
    const x5c = [raw.toString('base64')];
    return { keys: [{ ...publicKey.export({ format: 'jwk' }), x5c }] };
  } catch {
    context.addIssue({ code: 'custom', message: 'expected a certificate in PEM' });
    return z.NEVER;
  }
}
