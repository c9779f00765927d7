/**
 * The `amr` claim: RFC 8176 names what was proven, for tokens and for `acr`
 * (`urn:cls:acr:mfa` when `mfa` is among them, else `urn:cls:acr:password`).
 */
export type Proof =
  | { readonly method: 'password' }
  | { readonly method: 'totp' }
  /** RFC 8176 has no name for a look-up secret; one-time it is. */
  | { readonly method: 'recovery_code' }
  | {
      readonly method: 'passkey';
      /** The person was verified by a PIN or biometrics: two factors in one (WebAuthn §6.1). */
      readonly userVerified: boolean;
      readonly synced: boolean;
    };

/** `pwd`; `otp`; `hwk` or `swk` with `user` for a passkey; `mfa` when two factors are proven. */
export function amrOf(proofs: readonly Proof[]): string[] {
  const values = new Set(proofs.flatMap(valuesOf));
  const verified = proofs.some((proof) => proof.method === 'passkey' && proof.userVerified);
  const second = proofs.some(({ method }) => method !== 'password');
  const both = second && proofs.some(({ method }) => method === 'password');
  return [...values, ...(verified || both ? ['mfa'] : [])];
}

/** @param first `amr` of the first step, which another provider may have made. */
export function amrAfter(first: readonly string[], second: Proof): string[] {
  return [...new Set([...first, ...valuesOf(second), 'mfa'])];
}

function valuesOf(proof: Proof): readonly string[] {
  switch (proof.method) {
    case 'password':
      return ['pwd'];
    case 'totp':
    case 'recovery_code':
      return ['otp'];
    case 'passkey':
      return [proof.synced ? 'swk' : 'hwk', 'user'];
  }
}
