import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import type { Command } from 'commander';
import { FOR_ALL, profileFaults } from '../import/jobs/import-profiles.ts';
import type { AsOperator } from './operator.ts';
import { readProfileDocument } from './read-profile.ts';

const OPERATOR = 'operator';

/** `cls-api import profiles …`: the profiles that imports over HTTP name. */
export function addImportProfileCommands(program: Command, asOperator: AsOperator): void {
  const imports = program.commands.find((command) => command.name() === 'import');
  if (imports === undefined) throw new Error('there is no command import');
  const profiles = imports
    .command('profiles')
    .description('register the profiles that imports over HTTP name');

  profiles
    .command('put <profile>')
    .description('register a profile: a path (.yaml, .json), or a name that comes with CLS')
    .action(async (nameOrPath: string, _: object, command: Command) => {
      const document = readProfileDocument(nameOrPath);
      const { name } = (document ?? {}) as { readonly name?: unknown };
      const faults = profileFaults(`${name}`, document);
      if (faults.length > 0) {
        throw new CommandRefused(`the profile is not well formed:\n${faults.join('\n')}`);
      }
      const stored = await asOperator(
        ({ importProfiles }) => importProfiles.put(FOR_ALL, `${name}`, document, OPERATOR),
        { mayCreate: true },
      );
      printer(command).result(stored, `${stored.name} is registered`);
    });

  addListCommand(profiles, {
    description: 'list registered profiles',
    load: () => asOperator(({ importProfiles }) => importProfiles.list(FOR_ALL)),
    columns: ['name', ['changed', 'changedAt']],
  });

  profiles
    .command('show <name>')
    .description('show a registered profile')
    .action(async (name: string, _: object, command: Command) => {
      const found = await asOperator(({ importProfiles }) => importProfiles.find(FOR_ALL, name));
      if (found === undefined) throw unknown(name);
      printer(command).result(found.profile, JSON.stringify(found.profile, null, 2));
    });

  profiles
    .command('delete <name>')
    .description('remove a registered profile; jobs that were posted keep it')
    .action(async (name: string, _: object, command: Command) => {
      const removed = await asOperator(({ importProfiles }) =>
        importProfiles.remove(FOR_ALL, name),
      );
      if (!removed) throw unknown(name);
      printer(command).result({ name }, `${name} is removed`);
    });
}

function unknown(name: string): CommandRefused {
  return new CommandRefused(`there is no profile ${name}; see import profiles list`);
}
