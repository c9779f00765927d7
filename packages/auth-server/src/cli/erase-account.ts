import { printer, table } from '@cls/shared/cli/command-line';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { TRACE_KINDS, type TraceKind, type Traces } from '../account-management/erase-person.ts';
import { AS_OWNER, type AsOperator, requireMayErase } from './operator.ts';
import { EMAIL_OR_ID_ARGUMENT } from './option-values.ts';

/** What each kind of trace is called. */
const WORDS: Readonly<Record<TraceKind, string>> = {
  accounts: 'accounts: name, address, password',
  factors: 'second factors',
  recoveryCodes: 'recovery codes',
  rememberedDevices: 'remembered devices',
  knownAddresses: 'network addresses known from sign-ins',
  sessions: 'sessions',
  applicationGrants: 'applications with access',
  consents: 'consents',
  links: 'links that were sent',
  organisationLinks: 'links to an organisation’s provider',
  failureCounts: 'counts of failed attempts',
  auditEvents: 'audit events that name the person, an address or a device',
};

/** `cls-auth accounts erase`: takes a person out of the store. */
export function addEraseCommand(accounts: Command, asOperator: AsOperator): void {
  accounts
    .command('erase <email-or-id>')
    .description(
      'erase a person: name, address, sign-in methods, devices, sessions, and what the audit says of them; the account’s id stays',
    )
    .option('--apply', 'erase; without it everything is counted and nothing changed')
    .action(async (argument: string, { apply = false }: { apply?: boolean }, command: Command) => {
      const given = readOptions(EMAIL_OR_ID_ARGUMENT, argument);
      const out = printer(command);
      const { accounts, traces, keepsIdentity } = await asOperator(async (operator) => {
        const { erasure } = operator;
        const people = await erasure.find(given);
        const traces = await erasure.count(people);
        if (apply && hasAny(traces)) {
          await requireMayErase(operator);
          await operator.erasePeople(people);
        }
        const accounts = people.flatMap(({ accountId }) => accountId ?? []);
        return { accounts, traces, keepsIdentity: erasure.keepsIdentity };
      }, AS_OWNER);
      const found = hasAny(traces);
      if (traces.accounts > 0) out.message(identityWords(keepsIdentity));
      const document = { accounts, erased: apply && found, traces };
      out.result(document, found ? erasureText(given, accounts, traces, apply) : nothing(given));
    });
}

export function hasAny(traces: Traces): boolean {
  return TRACE_KINDS.some((kind) => traces[kind] > 0);
}

/** A table of what there is. */
export function tracesTable(traces: Traces): string {
  const rows = TRACE_KINDS.map((kind) => [WORDS[kind], `${traces[kind]}`]);
  return table(['', ''], rows).trimStart();
}

/** Whether somebody can still find out who an erased account was. */
export function identityWords(keepsIdentity: boolean): string {
  return keepsIdentity
    ? 'who an erased account was is kept, sealed with AUDIT_IDENTITY_KEY: cls-auth audit resolve opens it'
    : 'AUDIT_IDENTITY_KEY is not set: nobody can find out who an erased account was';
}

function erasureText(given: string, ids: readonly string[], traces: Traces, apply: boolean) {
  const accounts = ids.length === 0 ? '' : ` (${ids.join(', ')})`;
  const done = apply
    ? `erased ${given}${accounts}`
    : `would erase ${given}${accounts}; give --apply`;
  return `${done}\n\n${tracesTable(traces)}`;
}

function nothing(given: string): string {
  return `nothing is left to erase of ${given}: no account, and no audit event that names it`;
}
