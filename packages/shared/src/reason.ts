/** Of OpenSSL and Node: nobody that this process trusts has signed the certificate. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What an error says, with its cause: the driver's own words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const because = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  const code = codeOf(error);
  const untrusted = [code, codeOf(cause)].some((one) => UNTRUSTED.has(one ?? ''));
  const mend = untrusted ? '; for a CA of your own, name its file in NODE_EXTRA_CA_CERTS' : '';
  return `${error.message || code || error.name}${because}${mend}`;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
