/** Frozen answers of v1 over a fixed book (test/fixtures) and clock: golden/v1/*.json. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Clock } from '@cls/shared/clock';
import { ISSUER } from '../support/issuer.ts';
import { timesOf, type VersionedApi } from './support.ts';

export interface RecordedRequest {
  readonly name: string;
  /** Below `/api/v1`; undefined: the next page of the exchange before. */
  readonly path?: string;
  readonly method?: 'HEAD' | 'POST';
  /** Full control where it is left out. */
  readonly customer?: string;
  readonly token?: 'none' | 'broken' | 'without permission' | 'administrator';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Recording extends RecordedRequest {
  /** The path below the version, without parameters. */
  readonly below: string;
  readonly status: number;
  readonly answered: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers that callers build on. Of `Link` the next page: the others follow from other versions. */
const HEADERS = [
  ...['allow', 'api-version', 'cache-control', 'content-disposition', 'content-type', 'etag'],
  ...['link', 'retry-after', 'vary', 'www-authenticate', 'x-request-id'],
];
const FOLDER = new URL('../../../golden/v1/', import.meta.url);

export function recordings(): ReadonlyMap<string, readonly Recording[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(files.map((file) => [file.replace('.json', ''), read(file)]));
}

function read(file: string): readonly Recording[] {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
}

/**
 * Writes what is answered now. v1 may grow while it is the newest: what a caller got before must
 * still be there.
 */
export function record(topic: string, answers: readonly Recording[]): void {
  const file = `${topic}.json`;
  mkdirSync(FOLDER, { recursive: true });
  const before = readdirSync(FOLDER).includes(file) ? read(file) : [];
  for (const old of before) {
    const now = answers.find(({ name }) => name === old.name);
    if (now === undefined || !contains(parsed(now.body), parsed(old.body))) {
      throw new Error(`golden/v1/${file}: "${old.name}" would lose what it answers now`);
    }
  }
  writeFileSync(new URL(file, FOLDER), `${JSON.stringify(answers, null, 1)}\n`);
}

/** Asks in order: a next page is one of the exchange before. */
export async function ask(
  api: VersionedApi,
  clock: Clock,
  requests: readonly RecordedRequest[],
  version = 'v1',
): Promise<readonly Recording[]> {
  const answers: Recording[] = [];
  for (const request of requests) {
    const path =
      request.path === undefined ? nextOf(answers.at(-1)) : `/api/${version}${request.path}`;
    const authorization = await tokenOf(api, clock, request);
    const response = await fetch(`${api.baseUrl}${path}`, {
      method: request.method ?? 'GET',
      headers: {
        'accept-encoding': 'identity',
        'x-request-id': 'recorded',
        ...authorization,
        ...request.headers,
      },
    });
    const { name, method, customer, token, headers } = request;
    const shown = HEADERS.flatMap((header): [string, string][] => {
      const value = header === 'link' ? nextLink(response) : response.headers.get(header);
      return value ? [[header, value]] : [];
    });
    answers.push({
      name,
      ...(request.path === undefined ? {} : { path: request.path }),
      below: path.replace(/^\/api\/[^/]+|\?.*$/g, ''),
      ...(method && { method }),
      ...(customer && { customer }),
      ...(token && { token }),
      ...(headers && { headers }),
      status: response.status,
      answered: Object.fromEntries(shown),
      body: await response.text(),
    });
  }
  return answers;
}

async function tokenOf(api: VersionedApi, clock: Clock, { customer, token }: RecordedRequest) {
  if (token === 'none') return {};
  if (token === 'broken') return { authorization: 'Bearer a.b.c' };
  if (token === 'administrator') {
    const person = { account_type: 'account', sub: `acc_${'0'.repeat(26)}`, client_id: 'app_1' };
    const scope = `${ISSUER}/auth/cls-customer.administer`;
    const claims = { ...timesOf(clock), ...person, customer, scope };
    return { authorization: `Bearer ${await api.token(claims)}` };
  }
  const scope =
    token === undefined ? `${ISSUER}/auth/cls-deal.view` : `${ISSUER}/auth/cls-accounts.manage`;
  const claims = customer === undefined && token === undefined ? {} : { customer, scope };
  return { authorization: `Bearer ${await api.token({ ...timesOf(clock), ...claims })}` };
}

function nextLink(response: Response): string | undefined {
  return /<[^>]+>; rel="next"/.exec(response.headers.get('link') ?? '')?.[0];
}

function nextOf(answer: Recording | undefined): string {
  const [, path] = /<([^>]+)>/.exec(answer?.answered['link'] ?? '') ?? [];
  return path ?? '/no-next-page';
}

function parsed(body: string): unknown {
  const whole = json(body);
  return typeof whole === 'string' ? body.split(/\r?\n/).map(lineOf) : whole;
}

/** Of NDJSON, or cells of CSV by their place: new columns come last. */
function lineOf(line: string): unknown {
  const value = json(line);
  if (typeof value === 'string') return { ...line.split(',') };
  // The digest of all lines is another where one has grown.
  return { ...(value as object), sha256: undefined };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Of a refusal, for people: a new parameter is in the list of those that are known. */
const WORDS: readonly string[] = ['message', 'detail'];

/** Every member and item of `old` is in `now`, unchanged but for additions and words. */
function contains(now: unknown, old: unknown): boolean {
  if (typeof old !== 'object' || old === null) return now === old;
  if (typeof now !== 'object' || now === null) return false;
  const members = Object.entries(old);
  if (Array.isArray(old) && (!Array.isArray(now) || now.length !== old.length)) return false;
  const of = now as Record<string, unknown>;
  return members.every(([name, value]) =>
    WORDS.includes(name) ? typeof of[name] === typeof value : contains(of[name], value),
  );
}
