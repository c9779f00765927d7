import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DUMP, POINT_IN_TIME } from '../backups.mjs';
import { dealsFile } from '../book.mjs';
import { signIn } from '../person.mjs';
import { DEALS, SERVICES } from '../world.mjs';

/** Back up, go on, lose the database, restore as docs/guides/runbooks/restore.md says, and look. */
async function restoreAndLook(world, kind) {
  await world.migrate();
  await world.createCallers();
  await world.startMissing();
  const use = users(world);
  const early = { family: await use.signIn(), token: await use.token(), walk: undefined };
  early.walk = await use.beginWalk(early.token);
  const backup = await kind.backUp(world);

  await use.importDeal(DEALS + 1);
  const head = await world.tool('cls-api', ['ledger', 'head']);
  const keys = await world.tool('cls-auth', ['keys', 'list']);
  const at = await backup.moment();
  await sleep(1_200);
  // What the restore loses: a refresh token is spent, a journal posted, a walk begun.
  const spent = early.family.token;
  const next = await use.refresh(spent);
  await use.importDeal(DEALS + 2);
  const late = await use.beginWalk(early.token);
  for (const name of SERVICES) await world.stop(name);

  await backup.restore(at);
  await world.migrate();
  await world.tool('cls-auth', ['after-restore']);
  await world.tool('cls-api', ['after-restore']);
  await world.startMissing();

  const faults = [];
  const expect = (what, is, expected) => {
    const same = JSON.stringify(is) === JSON.stringify(expected);
    if (!same) faults.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(expected)}`);
  };
  expect('a spent refresh token', (await use.refresh(spent)).status, 400);
  expect('the token that it was spent for', (await use.refresh(next.token)).status, 400);
  expect('a token from before', (await use.page(early.token, '')).status, 200);
  expect('the keys', await world.tool('cls-auth', ['keys', 'list']), keys);
  const verified = await world.tool('cls-api', ['ledger', 'verify', '--head', headText(head)]);
  expect('the ledger', verified.outcome, 'contained');
  expect('the head', headText(await world.tool('cls-api', ['ledger', 'head'])), headText(head));
  const { checks } = await world.tool('cls-api', ['reconcile']);
  expect(
    'invariants',
    checks.filter(({ breakCount }) => breakCount > 0),
    [],
  );
  const walked = await use.page(early.token, early.walk.cursor);
  expect('a walk from before', [walked.status, walked.text], [200, early.walk.second]);
  const lost = await use.page(early.token, late.cursor);
  expect('a walk over what was lost', [lost.status, lost.json.code], [400, 'invalid_cursor']);
  await use.importDeal(DEALS + 2);
  expect('a new token', (await use.page(await use.token(), '')).status, 200);
  expect('a new sign-in', typeof (await use.signIn()).token, 'string');
  return faults;
}

function headText({ hash, seq }) {
  return `${hash}:${seq}`;
}

/** What callers of the world do. */
function users(world) {
  const { callers, send } = world;
  const answer = async (response) => {
    const text = await response.text();
    return { status: response.status, text, json: JSON.parse(text) };
  };
  const page = async (token, cursor) => {
    const more = cursor === '' ? '' : `&cursor=${cursor}`;
    const url = `/api/v1/cls/balances?level=deal&limit=7&asOf=2024-03-01${more}`;
    // The id would differ in refusals.
    const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'restore' };
    return answer(await send(url, { headers }));
  };
  return {
    page,
    signIn: () => signIn(world),
    async token() {
      const { clientId, clientSecret } = callers.reader;
      const body = JSON.stringify({ client_id: clientId, client_secret: clientSecret });
      const { json } = await answer(await send('/oauth/token', { method: 'POST', body }));
      return json.access_token;
    },
    async refresh(token) {
      const body = new URLSearchParams({
        ...{ grant_type: 'refresh_token', refresh_token: token },
        client_id: callers.portal.clientId,
      });
      const { status, json } = await answer(await send('/oauth/token', { method: 'POST', body }));
      return { status, token: json.refresh_token };
    },
    async beginWalk(token) {
      const { json } = await page(token, '');
      const cursor = json.page.nextCursor;
      return { cursor, second: (await page(token, cursor)).text };
    },
    async importDeal(number) {
      const path = join(world.folder, `deal-${number}.ndjson`);
      writeFileSync(path, dealsFile(number, 1).text);
      await world.tool('cls-api', ['journals', 'import', path, '--apply']);
    },
  };
}

const drill = (name, title, kind) => ({
  name,
  title,
  needs: { ...kind.needs, start: false },
  scenario: (world) => restoreAndLook(world, kind),
});

export const RESTORES = [
  drill('restore-dump', 'both databases restored from `pg_dump`, with Redis as it was', DUMP),
  drill(
    'restore-point-in-time',
    'both databases restored to a moment before the loss, with Redis as it was',
    POINT_IN_TIME,
  ),
];
