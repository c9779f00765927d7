import { READ_PERMISSIONS } from '@cls/shared/access-token';
import { addTokenCommand } from '@cls/shared/cli/token-command';
import { systemClock } from '@cls/shared/clock';
import type { Command } from 'commander';
import { remoteKeySource } from '../access/key-source.ts';
import { remoteTokenStatus } from '../access/token-status.ts';
import { parseConfig } from '../config.ts';

/** `cls-api token explain`: with the issuer's keys and lists as the API reads them. */
export function addExplainCommand(program: Command): void {
  addTokenCommand(program, async (_, work) => {
    const profile = parseConfig(process.env);
    const keys = remoteKeySource({
      url: profile.jwksUrl,
      refreshMs: 60_000,
      onFailure: () => undefined, // The answer says that there are no keys.
    });
    const { issuer, statusListsUrl: url, revocationFailOpenS: failOpenS } = profile;
    const status = remoteTokenStatus({
      ...{ issuer, url, keys, failOpenS, clock: systemClock },
      onFailure: () => undefined, // The answer says that the list cannot be had.
    });
    const { assertGood } = status;
    const permissions = READ_PERMISSIONS;
    try {
      return await work({ keys, profile, permissions, clock: systemClock, assertGood });
    } finally {
      keys.stop();
      status.stop();
    }
  });
}
