/** What the library reads of the forms to sign out and to let a second device in. */
export const FORM_FIELDS = {
  secret: 'xsrf',
  signOut: 'logout',
  userCode: 'user_code',
  allow: 'confirm',
  deny: 'abort',
} as const;

/** Where the form to sign out is sent. @param endSession the path of RP-initiated logout. */
export function signOutFormPath(endSession: string): string {
  return `${endSession}/confirm`;
}
