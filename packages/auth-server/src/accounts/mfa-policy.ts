/**
 * `enrolled` asks for a second factor when the account has one; `required` demands that it has one.
 */
export type MfaPolicy = 'enrolled' | 'required';
