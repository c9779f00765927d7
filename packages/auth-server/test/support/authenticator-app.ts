import { totpCode } from './auth-server.ts';

const PERIOD_S = 30;
/** Before so little time a code of the step before would come too late. */
const MARGIN_S = 4;

/** What people have on their phone. */
export interface AuthenticatorApp {
  /** A code that is good now and was not given before; there are three in any 30 seconds. */
  code(): string;
}

export function authenticatorApp(secret: string): AuthenticatorApp {
  let last = 0;
  return {
    code() {
      const nowS = Date.now() / 1000;
      const step = Math.max(last + 1, Math.floor((nowS + MARGIN_S) / PERIOD_S) - 1);
      if (step > Math.floor(nowS / PERIOD_S) + 1) throw new Error('no code is left for now');
      last = step;
      return totpCode(secret, step * PERIOD_S - nowS + 1);
    },
  };
}
