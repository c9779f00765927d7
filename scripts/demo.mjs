// What the first start creates: the World Bank's book with a syndicated deal beside it, and callers to
// read them with. It works through the command-line tools, as an operator would.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './bootstrap.mjs';
import { DEMO, demoBook } from './demo-book.mjs';
import { madeProfile, makeStatements, STATEMENTS } from './demo-statements.mjs';
import { loadOwnBook } from './own-book.mjs';
import { showProgress, watchChild } from './progress.mjs';

const FULL_CONTROL = 'external-api.fullcontrol';
const VIEW = 'cls-deal.view';
const ADMINISTER = 'cls-customer.administer';
const EXPLORER = 'Balances';
/** A line that no JSON document has. */
const END_OF_RESULT = '---';

const CUSTOMERS = [
  { id: 'platform', name: 'Platform operations', grant: undefined },
  {
    ...{ id: 'india', name: 'India, a borrower', grant: ['--role', 'borrower', '--country', 'IN'] },
    // So the last statement is what changed for it.
    beforeLast: true,
  },
  { id: 'agency', name: 'The agency desk', grant: ['--role', 'agent', '--all'] },
  {
    id: 'kestrel',
    name: 'Kestrel Credit Fund, a lender',
    grant: ['--role', 'lender', '--lender', DEMO.lender, '--deal', DEMO.deal],
  },
  {
    id: 'meridian',
    name: 'Meridian Components, a borrower',
    grant: ['--role', 'borrower', '--deal', DEMO.deal],
  },
];
const SERVICE_ACCOUNTS = [
  { name: 'Demo integration', customer: 'platform', permissions: [FULL_CONTROL] },
  { name: 'Demo borrower', customer: 'india', permissions: [VIEW] },
  { name: 'Demo agent', customer: 'agency', permissions: [VIEW] },
];
const ACCOUNTS = [
  {
    ...{ email: 'asha@india.example', customer: 'india' },
    ...{ permissions: [VIEW, ADMINISTER], secondFactor: true },
  },
  { email: 'ben@agency.example', customer: 'agency', permissions: [VIEW], secondFactor: false },
  { email: 'lena@kestrel.example', customer: 'kestrel', permissions: [VIEW], secondFactor: false },
  { email: 'tom@meridian.example', customer: 'meridian', permissions: [VIEW], secondFactor: false },
  {
    ...{ email: 'olga@platform.example', customer: 'platform' },
    ...{ permissions: [FULL_CONTROL], secondFactor: false },
  },
];

/** Customers whose permissions or grants cover any book. */
const seesAll = (customer) => ['platform', 'agency'].includes(customer);

const fileIn = (dataDir) => join(dataDir, 'demo.json');

/** Returns the demo callers, creating them and the book on the first start. @param known those of an earlier one */
export async function prepareDemo({ book, known, dataDir, baseUrl, explorerUrl, environment }) {
  const file = fileIn(dataDir);
  const auth = openTool('auth-server', environment);
  if (known !== undefined) {
    const explorer = await registerExplorer(auth.run, explorerUrl, known.explorer);
    await auth.close();
    return writeDemo(file, { ...known, baseUrl, explorer });
  }
  const api = openTool('resource-api', environment);
  const what = book?.file ?? '9,289 World Bank loans as of four dates';
  const loading = showProgress(`First start: loading ${what}, creating demo callers`);
  const who = book === undefined ? () => true : seesAll;
  const [callers] = await Promise.all([
    createCallers(auth.run, explorerUrl, who),
    loadBook(api.run, book, who),
  ]).finally(loading.end);
  if (book === undefined) process.stdout.write(`${whatIsReal()}\n`);
  await Promise.all([auth.close(), api.close()]);
  return writeDemo(file, { baseUrl, ...callers });
}

function whatIsReal() {
  const datesOf = (isReal) =>
    STATEMENTS.filter(({ sample }) => (sample !== undefined) === isReal)
      .map(({ date }) => date)
      .join(' and ');
  return `The World Bank's statements of ${datesOf(true)} are real; those of ${datesOf(false)} are made up, by interpolation between them.`;
}

/** The explorer is an application like any other: people sign in into it. */
async function registerExplorer(auth, url, known) {
  if (known?.url === url) return known;
  const uris = [
    ...['--redirect-uri', `${url}/callback`],
    ...['--post-logout-redirect-uri', `${url}/signed-out`],
    ...['--backchannel-logout-uri', `${url}/backchannel-logout`],
  ];
  const id = idsBy(await auth('applications', 'list'), 'name').get(EXPLORER);
  if (id === undefined) {
    const scopes = ['--scope', 'openid', 'email', 'profile', VIEW, FULL_CONTROL, ADMINISTER];
    const words = ['--name', EXPLORER, '--confidential', ...scopes, ...uris];
    const { clientId, clientSecret } = await auth('applications', 'create', ...words);
    return { url, clientId, clientSecret };
  }
  await auth('applications', 'update', id, ...uris);
  if (known !== undefined) return { ...known, url };
  // An interrupted start: nobody has the secret.
  const { clientId, clientSecret } = await auth('secrets', 'replace', id);
  return { url, clientId, clientSecret };
}

/**
 * An interrupted first start may have created some callers: those get new secrets.
 *
 * @param who of the customers are created, by id
 */
async function createCallers(auth, explorerUrl, who) {
  const customers = idsBy(await auth('customers', 'list'), 'id');
  for (const { id, name } of CUSTOMERS.filter(({ id }) => who(id))) {
    if (!customers.has(id)) await auth('customers', 'create', id, '--name', name, '--demo');
  }
  const existing = idsBy(await auth('service-accounts', 'list'), 'name');
  const serviceAccounts = [];
  for (const wanted of SERVICE_ACCOUNTS.filter(({ customer }) => who(customer))) {
    const id = existing.get(wanted.name);
    const { clientId, clientSecret } = id
      ? await auth('secrets', 'replace', id)
      : await auth('service-accounts', 'create', ...callerOptions(wanted), '--name', wanted.name);
    const { customer, permissions } = wanted;
    serviceAccounts.push({ clientId, clientSecret, customer, permissions });
  }
  const people = idsBy(await auth('accounts', 'list'), 'email');
  const accounts = [];
  for (const wanted of ACCOUNTS.filter(({ customer }) => who(customer))) {
    const { email, customer, permissions } = wanted;
    const { password } = people.has(email)
      ? await auth('accounts', 'replace-password', email, '--generate-password')
      : await auth('accounts', 'create', email, ...callerOptions(wanted), '--generate-password');
    const factor = wanted.secondFactor ? await auth('accounts', 'enrol-totp', email) : undefined;
    const totp = factor === undefined ? {} : { totpSecret: factor.totpSecret };
    accounts.push({ email, password, ...totp, customer, permissions });
  }
  const explorer = await registerExplorer(auth, explorerUrl);
  return { serviceAccounts, accounts, explorer };
}

async function loadBook(api, book, who) {
  const grantTo = async (customers) => {
    for (const { id, grant } of customers.filter(({ id }) => who(id))) {
      if (grant) await api('entitlements', 'grant', '--new-customer', '--customer', id, ...grant);
    }
  };
  const early = CUSTOMERS.filter(({ beforeLast }) => beforeLast && book === undefined);
  const lateNews = await (book === undefined
    ? loadDemoBook(api, () => grantTo(early))
    : loadOwnBook(api, book));
  await grantTo(CUSTOMERS.filter((one) => !early.includes(one)));
  // By now the last date of the book is reported, and those who see it saw it: what comes later restates it,
  // and is what changed for them.
  if (lateNews !== undefined) await importJournals(api, lateNews);
}

/** @param beforeLast is done before the last statement. @returns what is known of the book later */
async function loadDemoBook(api, beforeLast) {
  const dates = STATEMENTS.map(({ date }) => date);
  const history = demoBook(dates.slice(0, -1));
  const lateNews = history.pop();
  await api('migrate');
  return withFiles({ 'made.json': JSON.stringify(madeProfile()) }, async (file) => {
    await makeStatements(file());
    // In the order of their dates: what is known of a date late restates it.
    for (const [at, { date, sample }] of STATEMENTS.entries()) {
      if (at === STATEMENTS.length - 1) await beforeLast();
      await importJournals(api, history[at]);
      if (sample !== undefined) await api('import', sample, '--apply');
      else await importMade(api, file(`${date}.csv`), file('made.json'));
    }
    return lateNews;
  });
}

function importJournals(api, text) {
  return withFiles({ 'journals.ndjson': text }, (file) =>
    api('journals', 'import', file('journals.ndjson'), '--apply'),
  );
}

function importMade(api, file, profile) {
  const why = 'made up by interpolation';
  return api('import', file, '--profile', profile, '--apply', '--without-totals', why);
}

async function withFiles(texts, work) {
  const directory = mkdtempSync(join(tmpdir(), 'cls-demo-'));
  try {
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(directory, name), text);
    return await work((name = '') => join(directory, name));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function callerOptions({ customer, permissions }) {
  return ['--customer', customer, ...permissions.flatMap((name) => ['--permission', name])];
}

/** Maps a field of each listed record to its id. */
function idsBy(list, field) {
  return new Map(list.map((record) => [record[field], record.id ?? record.clientId]));
}

/**
 * A command-line tool as a function: the words in, its `--json` document out. One process runs all
 * commands, one after the other: to load a tool takes longer than most commands.
 */
function openTool(packageName, environment) {
  const child = watchChild(
    spawn(process.execPath, [join(root, 'scripts', 'demo-tool.mjs'), packageName, END_OF_RESULT], {
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );
  const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const ended = new Promise((done) => child.once('close', done));
  const run = async (...words) => {
    child.stdin.write(`${JSON.stringify(words)}\n`);
    const lines = [];
    for (;;) {
      const { value, done } = await output.next();
      if (done) {
        await ended;
        throw new Error(`${packageName}: ${words.slice(0, 2).join(' ')} failed: ${err.trim()}`);
      }
      if (value === END_OF_RESULT) return JSON.parse(lines.join('\n'));
      lines.push(value);
    }
  };
  const close = async () => {
    child.stdin.end();
    await ended;
  };
  return { run, close };
}

/** What a start before this one created; undefined where none was whole. */
export function readDemo(dataDir) {
  const file = fileIn(dataDir);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Whole or not at all: a start that is cut off must not leave half a file. */
function writeDemo(file, demo) {
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return demo;
}
