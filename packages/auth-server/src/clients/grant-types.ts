/** How the built-in client gives people tokens; only a JSON request can use it. */
export const ACCOUNT_GRANT = 'urn:cls:grant-type:account';

/** RFC 8628 §3.4. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
