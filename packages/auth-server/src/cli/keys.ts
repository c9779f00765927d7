import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import type { Command } from 'commander';
import type { AuditEventType } from '../audit/audit-log.ts';
import { rotate } from '../keys/rotate.ts';
import {
  PUBLISHED_AFTER_S,
  PUBLISHED_MAX,
  type SigningKeyListing,
  type SigningKeyStep,
  type SigningKeyStore,
} from '../keys/signing-key.ts';
import { type AsOperator, MAY_CREATE } from './operator.ts';

/** `cls-auth keys …`: the keys that sign tokens. */
export function addKeyCommands(program: Command, asOperator: AsOperator): void {
  const keys = program.command('keys').description('the keys that sign tokens');

  keys
    .command('create')
    .description('make the first signing key, where there is none')
    .action(async (_: unknown, command: Command) => {
      const { before, after } = await asOperator(async (operator) => {
        const known = await operator.keys.list();
        await operator.keys.load();
        const now = await operator.keys.list();
        for (const { kid } of now.slice(known.length)) {
          operator.audit.record({ type: 'key.created', subject: kid });
        }
        return { before: known, after: now };
      }, MAY_CREATE);
      const created = after.length > before.length;
      const kid = after.find(({ state }) => state === 'active')?.kid;
      const text = created ? `made signing key ${kid}` : `there is a signing key already: ${kid}`;
      printer(command).result({ kid, created }, text);
    });

  addListCommand(keys, {
    description: 'list signing keys, without private parts',
    load: () => asOperator((operator) => operator.keys.list()),
    columns: ['kid', 'state', ['created', 'createdAt'], ['next', nextStep]],
  });

  const change = async (
    type: AuditEventType,
    act: (keys: SigningKeyStore) => Promise<SigningKeyStep>,
  ): Promise<SigningKeyListing> =>
    asOperator(async (operator) => {
      const step = await act(operator.keys);
      if ('refused' in step) throw new CommandRefused(refusal(step));
      operator.audit.record({ type, subject: step.key.kid });
      return step.key;
    });

  keys
    .command('rotate')
    .description(
      'do what is due of a rotation: publish a new key, let it sign, withdraw the one before',
    )
    .option(
      '--emergency',
      'sign with a new key now and withdraw all others: every token from before is refused',
    )
    .action(async ({ emergency }: { emergency?: true }, command: Command) => {
      if (emergency === true) return replaceAll(command, asOperator);
      const { done, keys } = await asOperator((operator) =>
        rotate(operator.keys, operator.audit, () => true),
      );
      const steps = done.map(({ type, kid }) => `${STEPS[type]} ${kid}`);
      const next = keys.filter(({ dueAt }) => dueAt !== null);
      const more = next.map((key) => `${key.kid}: ${nextStep(key)}`);
      const text = [...(steps.length > 0 ? steps : ['nothing is due']), ...more].join('\n');
      printer(command).result({ done, next }, text);
    });

  keys
    .command('stage')
    .description('publish a new key that does not sign yet, so that verifiers learn it first')
    .action(async (_: unknown, command: Command) => {
      const { kid, dueAt } = await change('key.staged', (store) => store.stage());
      const text = `staged ${kid}; from ${dueAt} on: cls-auth keys promote`;
      printer(command).result({ kid, dueAt }, text);
    });

  keys
    .command('promote')
    .description('sign with the staged key; the one before stays published until it is removed')
    .option(
      '--early',
      'do it before all verifiers know the key: some will refuse good tokens for minutes',
    )
    .action(async ({ early }: { early?: true }, command: Command) => {
      const { kid } = await change('key.promoted', (store) =>
        store.promote({ early: early === true }),
      );
      const hours = PUBLISHED_AFTER_S / 3_600;
      const text = `${kid} signs now; remove the one before in ${hours} hours (cls-auth keys list)`;
      printer(command).result({ kid }, text);
    });

  keys
    .command('remove <kid>')
    .description('withdraw a key that no longer signs, once its last tokens have expired')
    .option('--early', 'do it now, because the key leaked: every token that it signed is refused')
    .action(async (kid: string, { early }: { early?: true }, command: Command) => {
      await change('key.removed', (store) => store.remove(kid, { early: early === true }));
      printer(command).result({ kid }, `removed ${kid}`);
    });
}

async function replaceAll(command: Command, asOperator: AsOperator): Promise<void> {
  const { kid, removed } = await asOperator(async (operator) => {
    const replaced = await operator.keys.replaceAll();
    operator.audit.record({ type: 'key.created', subject: replaced.kid });
    for (const gone of replaced.removed) {
      operator.audit.record({ type: 'key.removed', subject: gone });
    }
    return replaced;
  });
  const text = `${kid} signs now; withdrawn: ${removed.join(', ')}. Tokens from before are refused within a minute`;
  printer(command).result({ kid, removed }, text);
}

const STEPS = {
  'key.staged': 'staged',
  'key.promoted': 'signs now:',
  'key.removed': 'removed',
} as const;

function nextStep({ state, dueAt }: SigningKeyListing): string {
  if (dueAt === null) return '';
  return `${state === 'staged' ? 'promote' : 'remove'} from ${dueAt} on`;
}

function refusal(step: Extract<SigningKeyStep, { refused: string }>): string {
  if (step.refused !== 'early') return REFUSALS[step.refused];
  const { kid, state, dueAt } = step.key;
  return state === 'staged'
    ? `${kid} is not known to all verifiers before ${dueAt}: promote it then, or --early`
    : `tokens signed by ${kid} may be good until ${dueAt}: remove it then, or --early if it leaked`;
}

const REFUSALS = {
  staged_already: 'a key is staged already: promote it, or remove it, first',
  too_many: `${PUBLISHED_MAX} keys are published, more than verifiers take: remove some first`,
  none_staged: 'no key is staged; make one with: cls-auth keys stage',
  unknown: 'there is no such key; cls-auth keys list names them',
  signs: 'this key signs: stage and promote another first',
} as const;
