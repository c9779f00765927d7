import { readToken } from '@cls/shared/access/explain-token';
import { usableKeys } from '@cls/shared/access/key-check';
import { tokenRevoked } from '@cls/shared/access/token-refusals';
import { ADMIN_PERMISSIONS, adminAudience, READ_PERMISSIONS } from '@cls/shared/access-token';
import { addTokenCommand } from '@cls/shared/cli/token-command';
import { systemClock } from '@cls/shared/clock';
import type { Command } from 'commander';
import { parseConfig } from '../config.ts';
import { publicKeysOf } from '../keys/own-keys.ts';
import { revocationOfToken } from '../token-status/token-status.ts';
import type { AsOperator } from './operator.ts';

/** `cls-auth token explain`: with the keys of the store, for the API that the token names. */
export function addExplainCommand(program: Command, asOperator: AsOperator): void {
  addTokenCommand(program, (token, work) =>
    asOperator(async (operator) => {
      const config = parseConfig(process.env);
      const admin = adminAudience(config.issuer);
      const isAdmin = readToken(token).claims?.['aud'] === admin;
      const published = await usableKeys({ keys: publicKeysOf(await operator.keys.load()) });
      return work({
        keys: { find: async (kid) => published?.get(kid) },
        profile: { ...config, audience: isAdmin ? admin : config.audience },
        permissions: isAdmin ? ADMIN_PERMISSIONS : READ_PERMISSIONS,
        clock: systemClock,
        async assertGood(token) {
          const found = await revocationOfToken(operator, config.issuer, token);
          if (found === undefined) return;
          const when = `${found.at.toISOString()}, because of ${found.for}`;
          throw tokenRevoked({
            cause: { check: 'revoked', expected: 'one that nobody revoked', found: when },
          });
        },
      });
    }),
  );
}
