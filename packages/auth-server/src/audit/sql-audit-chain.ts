import { createHash } from 'node:crypto';
import type { Database, Sql } from '@cls/shared/sql/database';
import type { AuditChain, ChainFault, ChainHead } from './audit-chain.ts';

/** Of events, in one question; one link may hold a fifth of it. */
const IDS_AT_ONCE = 100_000;
const LINKS_AT_ONCE = 500;
const FAULTS_SHOWN = 20;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/**
 * The digest of an event's personal fields, which an erasure leaves in the column `blind` in place of
 * its salt.
 */
export const PERSON_DIGEST = `CASE WHEN octet_length(blind) = 16 THEN sha256(blind || convert_to(
  json_build_array(subject, address, browser, system, about)::text, 'UTF8')) ELSE blind END`;

/**
 * As `seal_audit` has it (migration 0031), of the events after $1's link. Written here again, and the links are
 * hashed in this process: who can replace a function of the schema could let it say that all is well.
 */
const LINKS = `
  SELECT number, last_id AS "lastId", (extract(epoch FROM sealed_at) * 1000000)::bigint AS micros,
    content, encode(hash, 'hex') AS hash, CASE WHEN number > 0 THEN (
      SELECT string_agg(concat_ws(' ', month, events, digest), E'\\n' ORDER BY month)
      FROM (
        SELECT CASE WHEN isfinite(at) THEN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM') ELSE 'never' END AS month,
          count(*) AS events, encode(sha256(string_agg(
          sha256(convert_to(json_build_array(id, event_id,
            CASE WHEN isfinite(at) THEN (extract(epoch FROM at) * 1000000)::bigint END, type, client_id, request_id, reason, actor)::text, 'UTF8') ||
            coalesce(${PERSON_DIGEST}, '')), '' ORDER BY id)), 'hex') AS digest
        FROM audit_event WHERE id > link.after AND id <= link.last_id GROUP BY 1
      ) AS of_month) END AS found
  FROM (
    SELECT *, lag(last_id, 1, $2::bigint) OVER (ORDER BY number) AS after FROM audit_link
    WHERE number > $1::bigint AND number <= coalesce(
      (SELECT max(number) FROM (SELECT number, last_id FROM audit_link WHERE number > $1::bigint
         ORDER BY number LIMIT ${LINKS_AT_ONCE}) AS next
       WHERE last_id <= $2::bigint + ${IDS_AT_ONCE}),
      (SELECT min(number) FROM audit_link WHERE number > $1::bigint))
  ) AS link
  ORDER BY number`;

interface LinkRow {
  readonly number: bigint;
  readonly lastId: bigint;
  readonly micros: bigint;
  readonly content: string;
  readonly hash: string;
  readonly found: string | null;
}

/** The chain over the audit's events (ADR 59). */
export function sqlAuditChain(database: Database): AuditChain {
  return {
    async seal(pauseS) {
      const [link] = await database.query<{ number: bigint; hash: string; more: boolean }>(
        'SELECT * FROM seal_audit(make_interval(secs => $1))',
        [pauseS],
      );
      return link;
    },
    verify: ({ kept, keptSince }) =>
      database.transaction(
        async (transaction) => {
          const faults = faultList();
          const walked = await walk(transaction, kept, keptSince, faults);
          const { waiting, erased } = await rest(transaction, walked, faults);
          return { ...walked, waiting, erased, faults: faults.shown, faultCount: faults.count };
        },
        { isolation: 'repeatable read', readOnly: true },
      ),
  };
}

/** As the migration begins it: events that are there already stay outside of the chain. */
export async function beginAuditChain(sql: Sql): Promise<void> {
  await sql.query(
    `INSERT INTO audit_link SELECT 0, CASE WHEN is_called THEN last_value ELSE last_value - 1 END, now(), '', sha256('')
     FROM audit_event_id_seq WHERE NOT EXISTS (SELECT FROM audit_link)`,
  );
}

function faultList() {
  const shown: ChainFault[] = [];
  return {
    shown,
    count: 0,
    add(fault: ChainFault) {
      this.count += 1;
      if (shown.length < FAULTS_SHOWN) shown.push(fault);
    },
  };
}

type Faults = ReturnType<typeof faultList>;

async function walk(
  sql: Sql,
  kept: ChainHead | undefined,
  keptSince: Date | undefined,
  faults: Faults,
) {
  const totals = { events: 0, expired: 0, dropped: new Map<string, number>() };
  const droppedBy = await droppedPeriods(sql);
  let head = { number: -1n, lastId: 0n, hash: '' };
  let firstId = 0n;
  let keptSeen = kept === undefined;
  for (;;) {
    const { number: after, lastId } = head;
    const links = await sql.query<LinkRow>(LINKS, [after, lastId]);
    for (const link of links) {
      if (link.number === kept?.number) {
        keptSeen = true;
        if (link.hash !== kept.hash) faults.add({ link: link.number, fault: 'not_the_kept_head' });
      }
      if (link.number !== head.number + 1n || link.lastId < head.lastId) {
        faults.add({ link: link.number, fault: 'links_missing' });
      }
      if (link.hash !== hashOf(link, head.hash)) {
        faults.add({ link: link.number, fault: 'link_changed' });
      }
      head = link;
      if (link.number === 0n) firstId = link.lastId;
      for (const { month, sealed, found } of differing(link, totals)) {
        if (keptSince !== undefined && monthAfter(month) <= keptSince) totals.expired += sealed;
        else if (found === 0 && droppedBy(month)) {
          totals.dropped.set(month, (totals.dropped.get(month) ?? 0) + sealed);
        } else faults.add({ link: link.number, fault: 'events_differ', month, sealed, found });
      }
    }
    if (links.length === 0) break;
  }
  if (head.number < 0n) faults.add({ link: 0n, fault: 'links_missing' });
  if (!keptSeen && kept !== undefined) faults.add({ link: kept.number, fault: 'ends_before_kept' });
  return { head, ...totals, firstId };
}

function hashOf({ number, lastId, micros, content }: LinkRow, before: string): string {
  if (number === 0n) return EMPTY_SHA256;
  const text = [before, number, lastId, micros, content].join('\n');
  return createHash('sha256').update(text).digest('hex');
}

interface OfMonth {
  readonly events: number;
  readonly digest: string;
}

/** The months of a link whose events are not as they were sealed. Counts the others. */
function* differing({ content, found }: LinkRow, totals: { events: number }) {
  const [sealed, there] = [monthsOf(content), monthsOf(found ?? '')];
  for (const month of new Set([...sealed.keys(), ...there.keys()])) {
    const [one, other] = [sealed.get(month), there.get(month)];
    if (one !== undefined && one.digest === other?.digest && one.events === other.events) {
      totals.events += one.events;
    } else yield { month, sealed: one?.events ?? 0, found: other?.events ?? 0 };
  }
}

function monthsOf(content: string): ReadonlyMap<string, OfMonth> {
  return new Map(
    content.split('\n').flatMap((line) => {
      const [month = '', events, digest = ''] = line.split(' ');
      return month === '' ? [] : [[month, { events: Number(events), digest }]];
    }),
  );
}

function monthAfter(month: string): Date {
  const first = new Date(`${month}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + 1);
  return first;
}

/** Whether an operator dropped a month: as `2026-05`, or in `before-2027-01`. */
async function droppedPeriods(sql: Sql): Promise<(month: string) => boolean> {
  const rows = await sql.query<{ subject: string }>(
    `SELECT DISTINCT subject FROM audit_event WHERE type = 'audit.month_dropped'
       AND subject ~ '^(before-)?\\d{4}-\\d\\d$'`,
  );
  const names = rows.map(({ subject }) => subject);
  return (month) =>
    names.some((name) => name === month || (name.startsWith('before-') && month < name.slice(7)));
}

/** What waits for a link, and whether each event without its person belongs to a recorded erasure. */
async function rest(
  sql: Sql,
  { head, firstId }: { readonly head: { readonly lastId: bigint }; readonly firstId: bigint },
  faults: Faults,
) {
  const [row] = await sql.query<{ waiting: bigint; erased: bigint; unexplained: bigint }>(
    `SELECT (SELECT count(*) FROM audit_event WHERE id > $1) AS waiting,
       coalesce(sum(events), 0)::bigint AS erased,
       coalesce(sum(events) FILTER (WHERE octets IS DISTINCT FROM 32 OR placed OR NOT EXISTS (
         SELECT FROM audit_event WHERE type = 'account.erased' AND subject = changed.subject
       )), 0)::bigint AS unexplained
     FROM (
       SELECT subject, octet_length(blind) AS octets,
         num_nonnulls(address, browser, system) > 0 AS placed, count(*) AS events
       FROM audit_event WHERE id > $2 AND octet_length(blind) IS DISTINCT FROM 16 GROUP BY 1, 2, 3
     ) AS changed`,
    [head.lastId, firstId],
  );
  const { waiting = 0n, erased = 0n, unexplained = 0n } = row ?? {};
  if (unexplained > 0n) {
    faults.add({ fault: 'erased_without_a_record', found: Number(unexplained) });
  }
  return { waiting: Number(waiting), erased: Number(erased) };
}
