/**
 * Names of the fields of log lines: those of the Elastic Common Schema (docs/reasons/adr/0044-observation.md).
 * What it has no name for is below `cls.`.
 */

/** By the name that our code uses. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['requestId', 'http.request.id'],
  ['method', 'http.request.method'],
  ['path', 'url.path'],
  ['status', 'http.response.status_code'],
  ['reason', 'event.reason'],
  ['cause', 'error.message'],
  ['address', 'client.address'],
  ['port', 'server.port'],
]);
const NS_PER_MS = 1_000_000;

/** In any spelling: `client_secret`, `clientSecret`, `Client-Secret`. */
const SECRET = new Set([
  ...['authorization', 'cookie', 'setcookie', 'password', 'passwordhash', 'secret', 'clientsecret'],
  ...['token', 'accesstoken', 'refreshtoken', 'idtoken', 'mfatoken', 'logouttoken', 'otp', 'code'],
  ...['codeverifier', 'clientassertion', 'privatejwk', 'totpsecret', 'recoverycode', 'apikey'],
]);
const CUT_OUT = '[redacted]';
/** An object that is deeper was passed by mistake. */
const DEPTH_MAX = 5;

/** The fields of a line, by their names there; what must not be in a log is cut out at any depth. */
export function fieldsOfLine(fields: object): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'err') Object.assign(line, fieldsOfError(value));
    else if (name === 'durationMs') line['event.duration'] = Math.round(value * NS_PER_MS);
    else line[NAMES.get(name) ?? ownName(name)] = isSecret(name) ? CUT_OUT : harmless(value, 1);
  }
  return line;
}

const ownNames = new Map<string, string>();

/** `cls.client_id` of `clientId`. */
function ownName(name: string): string {
  const known = ownNames.get(name);
  if (known !== undefined) return known;
  const own = `cls.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  ownNames.set(name, own);
  return own;
}

function isSecret(name: string): boolean {
  return SECRET.has(name.replace(/[_-]/g, '').toLowerCase());
}

function harmless(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEPTH_MAX) return CUT_OUT;
  if (Array.isArray(value)) return value.map((each) => harmless(each, depth + 1));
  if (value instanceof Date) return value;
  if (value instanceof Error) return fieldsOfError(value);
  const hasOwnText = typeof (value as { toJSON?: unknown }).toJSON === 'function';
  if (hasOwnText) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      isSecret(name) ? CUT_OUT : harmless(each, depth + 1),
    ]),
  );
}

/** Of an error nothing but what it is and where it happened: its own members may hold what was sent. */
function fieldsOfError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) {
    const { message } = (error ?? {}) as { message?: unknown };
    return { 'error.message': typeof message === 'string' ? message : String(error) };
  }
  const { code } = error as NodeJS.ErrnoException;
  return {
    'error.type': error.name,
    'error.message': withCauses(error, (one) => one.message, ': '),
    'error.stack_trace': withCauses(error, (one) => one.stack ?? '', '\ncaused by: '),
    ...(typeof code === 'string' && CODE.test(code) ? { 'error.code': code } : {}),
  };
}

/** Of Node, such as `ECONNREFUSED`, or an SQLSTATE. */
const CODE = /^[A-Z0-9_]{2,40}$/;

function withCauses(error: Error, textOf: (one: Error) => string, between: string): string {
  const texts: string[] = [];
  let one: unknown = error;
  while (one instanceof Error && texts.length < DEPTH_MAX) {
    texts.push(textOf(one));
    one = one.cause;
  }
  return texts.join(between);
}
