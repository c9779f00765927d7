import { READ_PERMISSIONS } from '@cls/shared/access-token';
import { addTokenCommand } from '@cls/shared/cli/token-command';
import { systemClock } from '@cls/shared/clock';
import type { Command } from 'commander';
import { remoteKeySource } from '../access/key-source.ts';
import { parseConfig } from '../config.ts';

/** `cls-api token explain`: with the issuer's keys as the API reads them. */
export function addExplainCommand(program: Command): void {
  addTokenCommand(program, async (_, work) => {
    const profile = parseConfig(process.env);
    const keys = remoteKeySource({
      url: profile.jwksUrl,
      refreshMs: 60_000,
      onFailure: () => undefined, // The answer says that there are no keys.
    });
    try {
      return await work({ keys, profile, permissions: READ_PERMISSIONS, clock: systemClock });
    } finally {
      keys.stop();
    }
  });
}
