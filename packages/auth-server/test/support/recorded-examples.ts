/** The examples of the contracts (examples/*.json): what the services answered, with secrets and tokens cut. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Exchange } from '../../src/web/contract-examples.ts';

export type Exchanges = Readonly<Record<string, Exchange>>;

/** How they are made, where a change is meant. */
const RECORD = process.env['RECORD_EXAMPLES'];

/** Writes them, or compares them with the recorded ones but for ids, times and uses. */
export function expectRecorded(name: 'token' | 'admin', seen: Exchanges): void {
  const file = new URL(`../../../examples/${name}.json`, import.meta.url);
  const now = mapTexts(seen, cut) as object;
  if (RECORD) writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
  const recorded = JSON.parse(readFileSync(file, 'utf8'));
  expect(comparable(now)).to.deep.equal(comparable(recorded));
}

/** Which item of a list comes first, ids and chance decide: of a list, the members of an item are compared. */
function comparable(exchanges: object): object {
  const entries = Object.entries(mapTexts(exchanges, masked) as Exchanges);
  return Object.fromEntries(
    entries.map(([name, one]) => {
      const { data } = (one.body ?? {}) as { data?: readonly object[] };
      // Some accounts have a name.
      const members = Object.keys(data?.[0] ?? {}).filter((member) => member !== 'name');
      return [name, Array.isArray(data) ? { ...one, body: members } : one];
    }),
  );
}

/** A list is shown with its first item. */
export function shortened(body: unknown): unknown {
  const { data } = (body ?? {}) as { data?: readonly unknown[] };
  return Array.isArray(data) ? { ...(body as object), data: data.slice(0, 1) } : body;
}

const SECRET = /^(?:cls_|eyJ)./;

/** No example has a whole secret, which scanners would report, or the address of a test. */
function cut(_: string, text: string): string {
  return SECRET.test(text)
    ? `${text.slice(0, 4)}…`
    : text.replaceAll(/http:\/\/localhost:\d+/g, 'https://cls.example');
}

/** What differs from run to run. */
function masked(name: string, text: string): unknown {
  if (name === 'lastUsedAt' || name === 'lastUsedFrom') return 'use';
  return text
    .replaceAll(/\b(acc|svc|sec|evt|req|aud|jti)_[\w-]+/g, '$1')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/Caller 0\.\d+/g, 'Caller')
    .replaceAll(/\d+ seconds/g, 'some seconds');
}

function mapTexts(value: unknown, map: (name: string, text: string) => unknown): unknown {
  const volatile = ['lastUsedAt', 'lastUsedFrom', 'iat', 'exp', 'jti', 'idx', 'id', 'nextCursor'];
  return JSON.parse(JSON.stringify(value), (name, one) => {
    if (map === masked && volatile.includes(name)) return name;
    return typeof one === 'string' ? map(name, one) : one;
  });
}
