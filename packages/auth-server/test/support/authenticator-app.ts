import { setTimeout as sleep } from 'node:timers/promises';
import { totpCode } from './auth-server.ts';

const PERIOD_S = 30;
/** So long, at least, a code that was given stays good. */
const MARGIN_S = 20;

/** What people have on their phone. */
export interface AuthenticatorApp {
  /** A code that is good now and was not given before; it waits for one where all were given. */
  code(): Promise<string>;
}

export function authenticatorApp(secret: string): AuthenticatorApp {
  let last = 0;
  return {
    async code() {
      const nowS = Date.now() / 1000;
      // A server takes the code of the step before and of the step after, too.
      const step = Math.max(last + 1, Math.floor((nowS + MARGIN_S) / PERIOD_S) - 1);
      last = step;
      await sleep(Math.max(0, (step - 1) * PERIOD_S - nowS) * 1000);
      return totpCode(secret, step * PERIOD_S + 1 - Date.now() / 1000);
    },
  };
}
