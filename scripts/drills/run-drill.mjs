// One run of one drill: load, break, heal, wait until all is answered again, and check.
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../packages/testing/dist/src/servers.js';
import { KINDS, startLoad } from './load.mjs';

/** Nothing fails for this long: it has recovered. */
const CALM_MS = 2_500;
const RECOVERY_MS = 120_000;
const HOLD_MS = 3_000;
/** For requests to reach the services, and too short for most answers. */
const UNDER_WAY_MS = 10;

/** @returns what one run showed; `faults` is empty where the drill was passed */
export async function runDrill(world, drill) {
  const load = await startLoad(world, { newCursors: drill.newCursors, pace: drill.pace });
  const faults = [];
  const { history } = load;
  try {
    const early = await untilAllDone(history, 0);
    if (early !== undefined) throw new Error(`before the fault: ${early.kind} ${early.reason}`);
    const isSlow = drill.pace !== undefined;
    if (isSlow) await everyKindUnderWay(load);
    const brokenMs = performance.now();
    const kept = await drill.break(world, load);
    await sleep(drill.holdMs ?? HOLD_MS);
    const healedMs = performance.now();
    await drill.heal?.(world, kept, load);
    if (isSlow) load.wake();
    await recover(history, drill).catch(({ message }) => faults.push(message));
    await load.stop();
    const answers = history.filter(({ endedMs }) => endedMs >= brokenMs);
    const failed = answers.filter(({ outcome }) => outcome !== 'done');
    const wrong = failed.filter((one) => one.outcome === 'wrong' && !isAllowed(drill, one));
    faults.push(...summed(wrong.map(({ kind, reason }) => `${kind}: ${reason}`)));
    faults.push(...(await lost(world, load, drill)));
    faults.push(...((await drill.check?.(world, load)) ?? []));
    faults.push(...world.ends.splice(0));
    const lastMs = Math.max(brokenMs, ...failed.map(({ endedMs }) => endedMs));
    return {
      faults,
      answers: answers.length,
      refused: failed.filter(({ outcome }) => outcome === 'refused').length,
      reasons: timed(failed, brokenMs),
      failedForMs: lastMs - brokenMs,
      afterHealMs: drill.heal && Math.max(0, lastMs - healedMs),
      slowestMs: Math.max(0, ...answers.filter(isHttp).map(({ tookMs }) => tookMs)),
    };
  } finally {
    await load.stop();
  }
}

/** A drill that is a start, and has no load. */
export async function runScenario(world, drill) {
  const startedMs = performance.now();
  const faults = [...(await drill.scenario(world)), ...world.ends.splice(0)];
  const none = { answers: 0, refused: 0, reasons: [], failedForMs: 0, slowestMs: 0 };
  return { faults, ...none, startedInMs: performance.now() - startedMs };
}

const isHttp = ({ kind }) => kind !== 'import';
const isAllowed = ({ allows = [] }, { reason }) => allows.some((text) => reason.includes(text));

/** Until nothing fails any more, and every kind of request is answered. */
async function recover(history, { allows, forgets }) {
  const expected = KINDS.filter((kind) => !(forgets === 'sign-ins' && kind === 'refresh'));
  const deadline = performance.now() + RECOVERY_MS;
  let since = performance.now();
  for (;;) {
    const now = performance.now();
    const bad = history.findLast(
      (one) => one.outcome !== 'done' && !(allows?.length && isAllowed({ allows }, one)),
    );
    since = Math.max(since, bad?.endedMs ?? 0);
    if (now - since > CALM_MS && expected.every((kind) => isDone(history, kind, since))) return;
    if (now > deadline) throw new Error(`not recovered: ${bad?.kind} ${bad?.reason}`);
    await sleep(100);
  }
}

/** A slow load pauses most of the time, and would miss the fault with many of its kinds. */
async function everyKindUnderWay(load) {
  load.wake();
  await sleep(UNDER_WAY_MS);
}

function untilAllDone(history, since) {
  return eventually(async () => {
    const wrong = history.find(({ outcome }) => outcome === 'wrong');
    if (wrong !== undefined) return wrong;
    const missing = KINDS.find((kind) => !isDone(history, kind, since));
    if (missing === undefined) return undefined;
    const last = history.findLast(({ kind }) => kind === missing);
    throw new Error(`no ${missing} is answered: ${last?.reason}`);
  }, RECOVERY_MS);
}

function isDone(history, kind, since) {
  return history.some(
    (one) => one.kind === kind && one.outcome === 'done' && one.startedMs >= since,
  );
}

/** What was acknowledged and is not there. */
async function lost(world, { acknowledged, families, refresh, askAgain }, { forgets }) {
  const faults = [];
  const { current } = world.postgres;
  const missing = async (what, ids, database, sql) => {
    const rows = await current.query(
      `${sql} ARRAY[${ids.map((id) => `'${id}'`)}]::text[])`,
      database,
    );
    const there = new Set(rows.map(({ id }) => id));
    const gone = ids.filter((id) => !there.has(id));
    if (gone.length > 0) throw new Error(`${gone.length} of ${ids.length} ${what} are lost`);
  };
  const check = (work) => eventually(work, 30_000).catch(({ message }) => faults.push(message));
  const tokens = [...acknowledged.tokens];
  const issued = `SELECT request_id AS id FROM audit_event WHERE request_id = ANY(`;
  await check(() => missing('audit events of tokens', tokens, 'cls_auth', issued));
  const posted = 'SELECT id FROM journal WHERE id = ANY(';
  await check(() => missing('journals', [...acknowledged.journals], 'cls_api', posted));
  await check(async () => {
    const [{ name }] = await current.query(
      `SELECT display_name AS name FROM account WHERE id = '${world.callers.person.id}'`,
      'cls_auth',
    );
    const number = Number(name.replace('Drill ', ''));
    if (number < acknowledged.name) throw new Error(`a name that was set is lost: ${name}`);
  });
  for (const family of forgets === 'sign-ins' ? [] : families) {
    await refresh(family).catch(({ message }) => faults.push(`a sign-in is lost: ${message}`));
  }
  await check(async () => {
    const other = await askAgain();
    if (other.length > 0) throw new Error(`${other.length} answers have other bytes: ${other[0]}`);
  });
  return faults;
}

/** Each reason of an answer once, with its count, and with when it was first and last given. */
function timed(failed, brokenMs) {
  const groups = new Map();
  for (const { kind, reason, endedMs } of failed) {
    const text = `${kind}: ${reason}`;
    groups.set(text, [...(groups.get(text) ?? []), (endedMs - brokenMs) / 1_000]);
  }
  return [...groups].map(([text, times]) => {
    const [first, last] = [times[0], times.at(-1)].map((seconds) => seconds.toFixed(1));
    return `${times.length} × ${text} (${first} to ${last} s after the fault)`;
  });
}

/** Each reason once, with its count. */
function summed(reasons) {
  const counts = new Map();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} × ${reason}`);
}
