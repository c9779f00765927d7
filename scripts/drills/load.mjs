// The steady load of a drill. It remembers every answer, and every write that was acknowledged.

import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dealsFile } from './book.mjs';
import { Reader, signIn } from './person.mjs';
import { DEALS } from './world.mjs';

const FAMILIES = 3;
/** Milliseconds between two requests of one worker. */
const PAUSES = {
  ...{ token: 200, read: 150, walk: 300, refresh: 500, name: 500 },
  ...{ page: 500, import: 2_000, 'sign-in': 1_000 },
};
export const KINDS = Object.keys(PAUSES);
/** Of an error that quotes a page. */
const REASON_MAX_CHARS = 200;
const LEVELS = ['deal', 'facility', 'contract', 'position'];
const SORTS = ['dealNumber', '-outstanding', 'borrower', 'maturityDate'];

/** The answer is not what it must be, in a drill or without. */
class Wrong extends Error {}
/** The service says that it cannot answer now. */
class Refused extends Error {}

/**
 * @param options `pace`: so many times slower; `newCursors`: CURSOR_KEY is replaced, so that the same
 *   answer gets another cursor
 * @returns once every kind of request was answered
 */
export async function startLoad(world, { pace = 1, newCursors = false } = {}) {
  const { callers } = world;
  const history = [];
  const acknowledged = {
    ...{ tokens: new Set(), journals: new Set(), name: 0 },
    ...{ answers: new Map(), pages: new Map() },
  };
  const families = await Promise.all(
    Array.from({ length: FAMILIES }, () => untilDone(() => signIn(world))),
  );
  const readers = callers.people.map((person) => new Reader(world, person));
  for (const reader of readers) await untilDone(() => reader.signIn());
  const state = { token: undefined, admin: undefined, knownAt: undefined, number: 0 };
  let going = true;
  const newPauses = () => {
    const controller = new AbortController();
    // Each caller waits by it.
    setMaxListeners(0, controller.signal);
    return controller;
  };
  let pauses = newPauses();
  const pause = (ms) => sleep(ms, undefined, { signal: pauses.signal }).catch(() => undefined);
  const wake = () => {
    pauses.abort();
    pauses = newPauses();
  };
  // Walks show whether cursors are good.
  const bytesOf = (text) => digest(newCursors ? text.replace(/"nextCursor":"[^"]*"/, '') : text);

  const attempt = async (kind, work) => {
    const startedMs = performance.now();
    const entry = { kind, startedMs };
    try {
      await work();
      entry.outcome = 'done';
    } catch (error) {
      entry.outcome = error instanceof Refused ? 'refused' : 'wrong';
      entry.reason = error.message;
    }
    entry.endedMs = performance.now();
    entry.tookMs = entry.endedMs - startedMs;
    history.push(entry);
    return entry.outcome === 'done';
  };
  const worker = async (kind, work) => {
    while (going) {
      await attempt(kind, work);
      if (going) await pause(PAUSES[kind] * pace);
    }
  };

  const token = async () => {
    state.number += 1;
    const id = `drill-${process.pid}-${state.number}-${Date.now()}`;
    const { clientId, clientSecret } = callers.reader;
    const body = JSON.stringify({ client_id: clientId, client_secret: clientSecret });
    const answer = await ask(world, '/oauth/token', {
      ...{ method: 'POST', body, headers: { 'x-request-id': id } },
    });
    state.token = answer.json.access_token;
    acknowledged.tokens.add(id);
  };
  const adminToken = async () => {
    const { clientId: client_id, clientSecret: client_secret } = callers.manager;
    const grant_type = 'client_credentials';
    const body = new URLSearchParams({
      ...{ grant_type, client_id, client_secret },
      resource: `${world.issuer}/admin`,
    });
    const answer = await ask(world, '/oauth/token', { method: 'POST', body });
    state.admin = answer.json.access_token;
  };
  const bearer = () => ({ headers: { authorization: `Bearer ${state.token}` } });
  const read = async () => {
    const day = new Date(Date.UTC(2024, 1, 1) + Math.floor(Math.random() * 800) * 86_400_000);
    const question = new URLSearchParams({
      ...{ level: pick(LEVELS), sort: pick(SORTS), limit: `${1 + Math.floor(Math.random() * 8)}` },
      ...{ asOf: day.toISOString().slice(0, 10), knownAt: state.knownAt, include: 'totals' },
    });
    const url = `/api/v1/cls/balances?${question}`;
    const { text, json } = await ask(world, url, bearer());
    if (json.data.length === 0) throw new Wrong('a page without items');
    const sha256 = bytesOf(text);
    const before = acknowledged.answers.get(url);
    if (before !== undefined && before !== sha256) throw new Wrong('other bytes than before');
    if (acknowledged.answers.size < 200) acknowledged.answers.set(url, sha256);
  };
  /** One page at a time, so that a fault finds walks in their middle. */
  const walk = { cursor: undefined, seen: new Set() };
  const nextPage = async () => {
    const more = walk.cursor === undefined ? '' : `&cursor=${walk.cursor}`;
    const { json } = await ask(world, `/api/v1/cls/balances?level=deal&limit=7${more}`, bearer());
    for (const { id } of json.data) {
      if (walk.seen.has(id)) throw new Wrong('a walk has an item twice');
      walk.seen.add(id);
    }
    walk.cursor = json.page.nextCursor ?? undefined;
    if (walk.cursor !== undefined) return;
    const found = walk.seen.size;
    walk.seen = new Set();
    if (found < DEALS) throw new Wrong(`a walk has ${found} of at least ${DEALS} items`);
  };
  const refresh = (family) => async () => {
    const body = new URLSearchParams({
      ...{ grant_type: 'refresh_token', refresh_token: family.token },
      client_id: callers.portal.clientId,
    });
    const { json } = await ask(world, '/oauth/token', { method: 'POST', body });
    family.token = json.refresh_token;
    family.used += 1;
  };
  /** New people in new browsers: codes, sessions and tokens that no process has seen. */
  let signIns = 0;
  const signInAnew = async () => {
    let last;
    const send = async (...asked) => {
      last = await world.send(...asked).catch(noAnswer);
      return last;
    };
    signIns += 1;
    const into = { ...world, send };
    const person = callers.people[signIns % callers.people.length];
    const work = signIns % 2 === 0 ? signIn(into) : new Reader(into, person).signIn();
    await work.catch((error) => {
      if (error instanceof Wrong) throw error;
      const text = `${last?.status} in a sign-in: ${error.message}`.replaceAll(/\s+/g, ' ');
      const reason = text.slice(0, REASON_MAX_CHARS);
      throw last === undefined ? new Wrong(reason) : refusalOf(last, reason);
    });
  };
  let names = 0;
  const name = async () => {
    if (state.admin === undefined || names % 40 === 39) await adminToken();
    names += 1;
    const number = names;
    await ask(world, `/admin/v1/accounts/${callers.person.id}/name`, {
      ...{ method: 'PUT', body: JSON.stringify({ name: `Drill ${number}` }) },
      headers: { authorization: `Bearer ${state.admin}` },
    });
    acknowledged.name = number;
  };
  const readPages = (reader) => {
    let turn = 0;
    let isSignedOut = false;
    return async () => {
      if (isSignedOut) await reader.signIn().catch(notSignedIn);
      isSignedOut = false;
      const { addresses } = reader;
      const address = addresses[turn % addresses.length];
      turn += 1;
      const { response, html, isForeign } = await reader.open(address).catch(noAnswer);
      isSignedOut = isSignedOutBy(response);
      requirePage(response, html);
      if (isForeign) throw new Wrong('a page of another person');
      if (!reader.isFrozen(address)) return;
      const numbers = digest(numbersOf(html));
      // Another release may show other numbers of the same answer; its style sheet has another name.
      const [look] = /[\w.-]+\.css/.exec(html) ?? [];
      const key = `${reader.email} ${address} ${look}`;
      const before = acknowledged.pages.get(key);
      if (before !== undefined && before !== numbers) throw new Wrong('other numbers than before');
      acknowledged.pages.set(key, numbers);
    };
  };
  let file;
  const importDeal = async () => {
    world.deals = (world.deals ?? DEALS) + (file === undefined ? 1 : 0);
    file ??= dealsFile(world.deals, 1);
    const path = join(world.folder, 'import.ndjson');
    writeFileSync(path, file.text);
    // Where it is not acknowledged, the same file is imported again, as an operator would.
    await world.tool('cls-api', ['journals', 'import', path, '--apply']).catch((error) => {
      throw new Refused(`import: ${error.message.slice(0, 200)}`);
    });
    for (const id of file.journals) acknowledged.journals.add(id);
    file = undefined;
  };

  await untilDone(async () => {
    await token();
    const { json } = await ask(world, '/api/v1/cls/balances?limit=1', bearer());
    state.knownAt = json.meta.knownAt;
  });
  const workers = [
    worker('token', token),
    worker('read', read),
    worker('read', read),
    worker('walk', nextPage),
    ...families.map((family) => worker('refresh', refresh(family))),
    worker('name', name),
    ...readers.map((reader) => worker('page', readPages(reader))),
    worker('import', importDeal),
    worker('sign-in', signInAnew),
  ];
  return {
    ...{ history, acknowledged, families },
    /** Asks again what was answered before, for the same bytes. */
    async askAgain() {
      await token();
      const other = [];
      for (const [url, sha256] of acknowledged.answers) {
        const { text } = await ask(world, url, bearer());
        if (bytesOf(text) !== sha256) other.push(url);
      }
      return other;
    },
    refresh: (family) => refresh(family)(),
    /** One large import. */
    async importDeals(count) {
      const { text, journals } = dealsFile((world.deals ?? DEALS) + 1, count);
      world.deals = (world.deals ?? DEALS) + count;
      const path = join(world.folder, 'large.ndjson');
      writeFileSync(path, text);
      await world.tool('cls-api', ['journals', 'import', path, '--apply']);
      for (const id of journals) acknowledged.journals.add(id);
    },
    /** Invites so many people. @returns how long each answer took, in milliseconds */
    async invite(count) {
      const took = [];
      for (let number = 0; number < count; number += 1) {
        const email = `invited-${Date.now()}-${number}@drill.example`;
        const startedMs = performance.now();
        await ask(world, '/admin/v1/accounts', {
          ...{ method: 'POST', headers: { authorization: `Bearer ${state.admin}` } },
          body: JSON.stringify({ email, permissions: ['cls-deal.view'] }),
        });
        took.push(performance.now() - startedMs);
      }
      return took;
    },
    /** Ends all pauses: each kind of request is sent now. */
    wake,
    async stop() {
      going = false;
      wake();
      await Promise.all(workers);
    },
  };
}

async function ask({ send }, url, init) {
  const response = await send(url, init).catch(noAnswer);
  const text = await response.text();
  const json = parsed(text);
  if (response.ok) {
    if (json === undefined) throw new Wrong(`${response.status} without JSON`);
    return { text, json };
  }
  const reason = `${response.status} ${json?.code ?? json?.error ?? ''}`.trim();
  const description = json?.error_description ? `: ${json.error_description}` : '';
  throw refusalOf(response, `${reason}${description}`);
}

function noAnswer(error) {
  throw new Wrong(`no answer: ${error.code ?? error.message}`);
}

/** What is right is 503 with Retry-After alone. */
function refusalOf(response, reason) {
  if (response.status !== 503) return new Wrong(reason);
  if (!response.headers.has('retry-after')) return new Wrong(`${reason} without Retry-After`);
  return new Refused(reason);
}

/** While something is broken nobody may be able to: it is tried again. */
function notSignedIn({ message }) {
  throw new Refused(`a sign-in: ${message}`);
}

/** The session is not known any more: the explorer leads to the issuer, or says so. */
const isSignedOutBy = ({ status, headers }) => status === 401 || headers.has('location');

/** @throws what else it is than a page that a person who is signed in sees */
function requirePage(response, html) {
  if (isSignedOutBy(response)) throw new Wrong('signed out');
  const [, title = ''] = /<h1>([^<]*)/.exec(html) ?? [];
  if (response.status !== 200) throw refusalOf(response, `${response.status} ${title}`);
}

/** Of its tables. @throws where it shows none */
function numbersOf(html) {
  const cells = [...html.matchAll(/<td(?: class="n")?>([\s\S]*?)<\/td>/g)].map(([, cell]) => cell);
  if (cells.length === 0) throw new Wrong('a page without numbers');
  return cells.join('\n');
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function untilDone(work) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 100) throw error;
      await sleep(200);
    }
  }
}

function pick(values) {
  return values[Math.floor(Math.random() * values.length)];
}

function digest(text) {
  return createHash('sha256').update(text).digest('base64url');
}
