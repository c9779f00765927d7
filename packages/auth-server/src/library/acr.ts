export const MFA_ACR = 'urn:cls:acr:mfa';
export const PASSWORD_ACR = 'urn:cls:acr:password';

/** Authentication context class: one factor, or several (NIST SP 800-63B-4 AAL1 and AAL2). */
export function acrOf(amr: readonly string[]): string {
  return amr.includes('mfa') ? MFA_ACR : PASSWORD_ACR;
}
