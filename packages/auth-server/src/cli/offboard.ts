import { printer, UsageError } from '@cls/shared/cli/command-line';
import { writeNewFile } from '@cls/shared/cli/new-file';
import type { Command } from 'commander';
import type { Traced, Traces } from '../account-management/erase-person.ts';
import type { CustomerExportSummary } from '../audit/audit-archive.ts';
import { hasAny, identityWords, tracesTable } from './erase-account.ts';
import {
  AS_OWNER,
  type AsOperator,
  type Operator,
  requireCustomer,
  requireMayErase,
  revokeEntitlements,
} from './operator.ts';

interface OffboardOptions {
  readonly apply?: boolean;
  /** False for `--no-audit`. */
  readonly audit?: string | false;
}

/** `cls-auth customers offboard`: ends all that a customer has, and deletes what may be deleted. */
export function addOffboardCommand(customers: Command, asOperator: AsOperator): void {
  customers
    .command('offboard <id>')
    .description(
      'end everything of a customer that leaves: write its audit events to a file, erase its people, delete its secrets and providers',
    )
    .option('--audit <file>', 'first write the audit events about the customer to this new file')
    .option('--no-audit', 'delete without such a file')
    .option('--apply', 'do it; without it everything is counted and nothing changed')
    .action(async (id: string, { apply = false, audit }: OffboardOptions, command: Command) => {
      if (apply && audit === undefined) throw new UsageError('give --audit <file> or --no-audit');
      const out = printer(command);
      const { found, exported, keepsIdentity } = await asOperator(async (operator) => {
        const found = await findAll(operator, id);
        const { keepsIdentity } = operator.erasure;
        if (!apply || !found.anythingLeft) return { found, exported: undefined, keepsIdentity };
        await requireMayErase(operator);
        return {
          found,
          exported: await offboard(operator, found, audit || undefined),
          keepsIdentity,
        };
      }, AS_OWNER);
      const { people: _, ...document } = found;
      if (found.traces.accounts > 0) out.message(identityWords(keepsIdentity));
      out.message(REMAINS);
      out.message(revokeEntitlements(id));
      const offboarded = apply && found.anythingLeft;
      out.result(
        { ...document, offboarded, audit: exported ?? null },
        text(found, apply, exported),
      );
    });
}

interface Found {
  readonly customer: string;
  readonly disabled: boolean;
  /** Ids of service accounts that have a secret. */
  readonly serviceAccounts: readonly string[];
  /** Domains whose people sign in at the customer's own provider. */
  readonly providers: readonly string[];
  readonly securityContact: boolean;
  readonly auditEvents: bigint;
  readonly traces: Traces;
  readonly people: readonly Traced[];
  readonly anythingLeft: boolean;
}

async function findAll(operator: Operator, customer: string): Promise<Found> {
  const { disabled } = await requireCustomer(operator, customer);
  const { serviceAccounts, securityContacts, upstream, erasure, auditArchive } = operator;
  const isOwn = (one: { readonly customer: string }) => one.customer === customer;
  const secrets = (await serviceAccounts.list()).filter(
    (one) => isOwn(one) && (one.secrets.length > 0 || one.proof !== null),
  );
  const providers = (await upstream.list()).filter(isOwn).map(({ domain }) => domain);
  const securityContact = (await securityContacts.find(customer)) !== undefined;
  const people = await erasure.ofCustomer(customer);
  const traces = await erasure.count(people);
  const anythingLeft =
    !disabled ||
    securityContact ||
    [secrets, providers, people].some(({ length }) => length > 0) ||
    hasAny(traces);
  const auditEvents = await auditArchive.countOf(customer);
  const ids = secrets.map(({ id }) => id);
  return {
    ...{ customer, disabled, serviceAccounts: ids, providers, securityContact, auditEvents },
    ...{ traces, people, anythingLeft },
  };
}

type Exported = CustomerExportSummary & { readonly file: string };

/** Each step can be done again: where one fails, the next run does the rest. */
async function offboard(
  operator: Operator,
  { customer, disabled, people, providers, securityContact }: Found,
  file: string | undefined,
): Promise<Exported | undefined> {
  const { customers, access, audit, erasure, serviceAccounts, securityContacts, upstream } =
    operator;
  const subject = customer;
  await customers.setDisabled(customer, true);
  if (!disabled) audit.record({ type: 'customer.disabled', subject });
  for (const { accountId } of people) if (accountId) await access.endAll(accountId);
  // Nothing is deleted until its events are in the file.
  const exported = file === undefined ? undefined : await exportAudit(operator, customer, file);
  for (const id of await serviceAccounts.retireOf(customer)) {
    audit.record({ type: 'service_account.disabled', subject: id });
  }
  for (const about of providers) {
    if (await upstream.remove(about)) audit.record({ type: 'upstream.removed', subject, about });
  }
  if (securityContact) {
    await securityContacts.change(customer, { email: null, webhook: null });
    const about = 'email removed, webhook removed';
    audit.record({ type: 'customer.security_contact_changed', subject, about });
  }
  // Those too who came while the file was written.
  await operator.erasePeople(await erasure.ofCustomer(customer));
  audit.record({ type: 'customer.offboarded', subject });
  return exported;
}

async function exportAudit(operator: Operator, customer: string, file: string): Promise<Exported> {
  await operator.audit.catchUp();
  const written = await writeNewFile(file, (send) =>
    operator.auditArchive.exportOf(customer, (lines) => send(Buffer.from(lines))),
  );
  const about = `${written.events} events, sha256 ${written.sha256}`;
  operator.audit.record({ type: 'audit.customer_exported', subject: customer, about });
  return { file, ...written };
}

const REMAINS = [
  'what remains: the ids and names of the customer and its service accounts, the ids of its people, and the audit until AUDIT_RETENTION_DAYS,',
  'because events refer to them; and applications: cls-auth applications list shows whose each is; disable or delete those that it used',
].join('\n');

function text(found: Found, apply: boolean, exported: Exported | undefined): string {
  const { customer, serviceAccounts, providers, securityContact, auditEvents, traces } = found;
  if (!found.anythingLeft)
    return `${customer} is offboarded already: nothing is left to end or to erase`;
  const file =
    exported === undefined
      ? `audit events about it: ${auditEvents}`
      : `wrote ${exported.events} audit events to ${exported.file}, sha256 ${exported.sha256}`;
  const lines = [
    apply
      ? `offboarded ${customer}`
      : `would offboard ${customer}; give --audit <file> and --apply`,
    file,
    `service accounts with secrets or keys: ${serviceAccounts.join(', ') || 'none'}`,
    `providers: ${providers.join(', ') || 'none'}`,
    `security contact: ${securityContact ? 'yes' : 'none'}`,
  ];
  return `${lines.join('\n')}\n\n${tracesTable(traces)}`;
}
