// Real answers for the documentation: of the recordings of a version, the shortest that shows a thing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const KINDS = [
  ['An answer', 'application/json', (one) => !hasFields(one) && itemsOf(one) > 0],
  ['An answer with chosen fields', 'application/json', (one) => hasFields(one) && itemsOf(one) > 0],
  ['An export as NDJSON', 'application/x-ndjson', (one) => linesOf(one) > 1],
  ['An export as CSV', 'text/csv', (one) => linesOf(one) > 1],
];

/**
 * @param written further exchanges: those that have other ids and times whenever they are recorded.
 * @param paths of the version's contract, such as `/cls/deals/{dealId}`.
 * @returns by operation, the examples in the order of KINDS; by code, a problem document.
 */
export function examplesOf(folder, written, paths) {
  const recordings = readRecordings(folder);
  const operations = {};
  for (const path of paths) {
    const answered = recordings.filter(
      ({ below, ...one }) =>
        templateOf(below, paths) === path && one.status === 200 && isPlain(one),
    );
    const found = KINDS.flatMap(([title, type, shows]) => {
      const candidates = answered.filter((one) => typeOf(one) === type && shows(one));
      const one = shortest(candidates);
      return one === undefined ? [] : [{ title, ...exchange(one) }];
    });
    if (found.length > 0) operations[`GET ${path}`] = found;
  }
  for (const one of written) {
    const path = templateOf(one.path.split('?')[0], paths);
    operations[`${one.method} ${path}`] = [{ title: 'An answer', ...one, body: pretty(one) }];
  }
  return { operations, problems: problemsOf(recordings) };
}

/** The path of the contract that a path is of: itself where the contract has it. */
function templateOf(below, paths) {
  if (paths.includes(below)) return below;
  return paths.find((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(below));
}

function problemsOf(recordings) {
  const problems = {};
  const refused = recordings.filter((one) => one.status >= 400 && one.body !== '');
  for (const one of [...refused].sort((a, b) => a.body.length - b.body.length)) {
    const { code, errors = [] } = JSON.parse(one.body);
    problems[code] ??= exchange(one);
    // A page for what is wrong with one parameter shows a problem with nothing else.
    if (errors.length === 1) problems[errors[0].code] ??= exchange(one);
  }
  return problems;
}

function readRecordings(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
}

function exchange({ method = 'GET', path, below, headers, status, answered, body }) {
  const [type] = answered['content-type'].split(';');
  return {
    method,
    path: path ?? below,
    ...(headers && { headers }),
    status,
    type,
    body: pretty({ type, body }),
  };
}

function pretty({ type, body }) {
  return /(\/|\+)json$/.test(type) ? JSON.stringify(JSON.parse(body), null, 2) : body;
}

function isPlain({ path, method, customer, token }) {
  // Only an administrator of a customer sees its use of the API.
  const special = method ?? (token === 'administrator' ? undefined : (customer ?? token));
  return path !== undefined && special === undefined && !path.includes('updatedSince');
}

function shortest(list) {
  return [...list].sort((a, b) => a.body.length - b.body.length)[0];
}

function typeOf({ answered }) {
  return (answered['content-type'] ?? '').split(';')[0];
}

function hasFields({ path }) {
  return path.includes('fields=');
}

function itemsOf({ body }) {
  return JSON.parse(body).data?.length ?? 1;
}

function linesOf({ body }) {
  return body.trim().split('\n').length;
}
