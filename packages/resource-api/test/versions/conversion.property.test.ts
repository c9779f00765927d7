import { Readable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Change, Exchange, Release, VersionId } from '../../src/lifecycle/release.ts';
import type { VersionRequest, VersionRoute } from '../../src/versions/api-version.ts';
import { convertedRoute } from '../../src/versions/convert.ts';
import { flattenCells, readCells } from '../../src/versions/csv-items.ts';
import { projector } from '../../src/versions/project.ts';
import { v1Contract } from '../../src/versions/v1/contract.ts';
import { walkOf } from '../../src/versions/walk.ts';
import { recordings } from './recordings.ts';
import { RemoveTotal } from './v2/changes.ts';
import { NEW_SHAPE } from './v2/index.ts';

const contract = v1Contract();
const project = projector(contract, { from: 'v2', to: 'v1' });
const BALANCE = { $ref: '#/components/schemas/Balance' };

// biome-ignore lint/suspicious/noExplicitAny: items are read as JSON.
type Json = any;

/** Items as v1 answers them, whole. */
const ITEMS: readonly Json[] = (recordings().get('balances') ?? [])
  .filter(
    ({ status, body, path }) => status === 200 && body !== '' && path?.includes('fields') === false,
  )
  .flatMap(({ body }) => JSON.parse(body).data)
  .filter((item) => item.global?.total !== undefined && item.level !== undefined);

/** What the ledger can hold. */
const minor = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
const amountOf = (value: bigint) => {
  const digits = `${value < 0n ? -value : value}`.padStart(3, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** A line of random amounts, whose total is the sum of its parts. */
const line = fc.array(minor, { minLength: 9, maxLength: 9 }).map((amounts) => {
  const [outstanding, pastPrincipal, accrued, pik, due, pastInterest, fees, feesDue, pastFees] =
    amounts as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
  return {
    principal: { outstanding: amountOf(outstanding), pastDue: amountOf(pastPrincipal) },
    interest: {
      accrued: amountOf(accrued),
      pikAccrued: amountOf(pik),
      due: amountOf(due),
      pastDue: amountOf(pastInterest),
    },
    fees: { accrued: amountOf(fees), due: amountOf(feesDue), pastDue: amountOf(pastFees) },
    total: {
      outstanding: amountOf(outstanding + accrued + pik + due + fees + feesDue),
      pastDue: amountOf(pastPrincipal + pastInterest + pastFees),
    },
  };
});

const exchangeOf = (data: readonly Json[]): Exchange => ({
  operation: 'GET /cls/balances',
  query: new URLSearchParams(),
  status: 200,
  headers: {},
  body: structuredClone({ object: 'list', data }) as Json,
});

/** Versions v1 … vn with some changes each, which write their names where they pass. */
function trail(counts: readonly number[]) {
  const seen: string[] = [];
  const later = counts.map((count, index): Release => {
    const id: VersionId = `v${index + 2}`;
    const changes = Array.from({ length: count }, (_, place): Change => {
      const name = `${id}.${place}`;
      const passes = (way: string) => () => void seen.push(`${way} ${name}`);
      return { name, summary: name, covers: [], up: passes('up'), down: passes('down') };
    });
    return { id, releasedAt: '', promotesAt: '', contract: '', changes };
  });
  return { later, seen };
}

function routeOf(handle: VersionRoute['handle']): VersionRoute {
  return {
    path: '/cls/balances',
    permissions: ['cls-deal.view'],
    question: () => 'balances?',
    handle,
  };
}

describe('converting answers', () => {
  it('takes changes up in the order of versions as numbers, and down in the reverse order', async () => {
    const counts = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 11 });
    await fc.assert(
      fc.asyncProperty(counts, async (changes) => {
        const { later, seen } = trail(changes);
        const own = routeOf(async () => ({
          status: 200,
          headers: { 'Content-Type': 'application/json' },
          body: Buffer.from('{"object":"list"}'),
        }));
        const route = convertedRoute({ id: 'v1', contract, routes: [] }, own, own, later);
        await route.handle({ query: '', walk: walkOf('v1') } as VersionRequest);
        const names = later.flatMap((release) => release.changes.map(({ name }) => name));
        expect(seen).to.deep.equal([
          ...names.map((name) => `up ${name}`),
          ...names.toReversed().map((name) => `down ${name}`),
        ]);
      }),
      { numRuns: 30 },
    );
  });

  it('up to the newer shape and down again is what it was, to the cent and the order', () => {
    expect(ITEMS.length).to.be.greaterThan(20);
    fc.assert(
      fc.property(fc.constantFrom(...ITEMS), line, fc.option(line), (item, global, share) => {
        const lines = { global: { ...item.global, ...global }, share };
        const before = project(BALANCE, { ...item, ...lines, currency: 'USD' });
        const exchange = exchangeOf([before]);
        NEW_SHAPE.down?.(exchange);
        expect(JSON.stringify(exchange.body)).not.to.include('"total":');
        RemoveTotal.down?.(exchange);
        const [after] = exchange.body['data'] as Json[];
        expect(JSON.stringify(project(BALANCE, after))).to.equal(JSON.stringify(before));
      }),
      { numRuns: 200 },
    );
  });

  it('keeps what the contract declares, in its order, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ITEMS),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (item, more) => {
          const undeclared = Object.fromEntries(
            Object.entries(more).filter(
              ([name]) => !Object.hasOwn(item, name) && name !== 'accrual',
            ),
          );
          const members = Object.entries({ ...undeclared, ...item });
          const shuffled = Object.fromEntries(members.toReversed());
          expect(JSON.stringify(project(BALANCE, shuffled))).to.equal(JSON.stringify(item));
        },
      ),
    );
  });

  it('reads a row of a table and writes the same row', () => {
    const cell = fc.string().filter((text) => !text.includes(';'));
    const names = [
      'id',
      'currency',
      'facility.id',
      'facility.name',
      'global.principal.outstanding',
    ];
    fc.assert(
      fc.property(fc.array(cell, { minLength: 5, maxLength: 5 }), (values) => {
        const cells = new Map(names.map((name, index) => [name, values[index] ?? '']));
        const written = flattenCells(readCells(cells));
        for (const [name, text] of cells) expect(written.get(name) ?? '').to.equal(text);
      }),
    );
  });

  describe('of an export', () => {
    const line = `${JSON.stringify({ object: 'removed', id: 'bal_fac_1' })}\n`;
    const converted = async (body: Readable) => {
      const own = routeOf(async () => ({
        status: 200,
        headers: { 'Content-Type': 'application/x-ndjson' },
        body,
      }));
      const route = convertedRoute({ id: 'v1', contract, routes: [] }, own, own, trail([1]).later);
      const response = await route.handle({ query: '', walk: walkOf('v1') } as VersionRequest);
      return response.body as Readable;
    };

    it('stops reading it when its reader stops', async () => {
      const endless = Readable.from(
        (async function* () {
          for (;;) yield line;
        })(),
      );
      const closed = new Promise((done) => endless.once('close', done));
      for await (const _ of await converted(endless)) break;
      await closed;
    });

    it('fails where it fails, and never ends as if it were whole', async () => {
      const broken = Readable.from(
        (async function* () {
          yield line;
          throw new Error('the database went away');
        })(),
      );
      let failed: unknown;
      try {
        for await (const _ of await converted(broken));
      } catch (error) {
        failed = error;
      }
      expect(`${failed}`).to.include('the database went away');
    });
  });
});
