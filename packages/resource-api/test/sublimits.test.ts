import { Random } from '@cls/book-generator/random';
import { sqlGeneratedBooks } from '@cls/book-generator/sql-generated-books';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { exportJournals } from '../src/journal-file/export-journals.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import type { FacilityRecord, PartyRecord, PostingRecord } from '../src/journal-file/record.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import { reversalOf } from './support/any-order.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { date } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';
import { fileOf, linesFrom } from './support/journal-lines.ts';
import { expectReconciled } from './support/reconciled.ts';
import {
  aCommitment,
  aFacility,
  aJournal,
  aLoan,
  aParty,
  aPosition,
  entry,
} from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;
type Holders = readonly (readonly [PartyRecord | undefined, string])[];

describeOnDatabase('a sublimit', (engine) => {
  let api: TestApi;
  const [borrower, anna, bert] = ['Borrower', 'Anna', 'Bert'].map(aParty) as [
    PartyRecord,
    PartyRecord,
    PartyRecord,
  ];
  before(async () => {
    api = await startTestApi(engine);
    await loadRecords(api.database, [borrower, anna, bert]);
  });
  after(() => api?.stop());

  const load = (records: readonly object[]) =>
    importJournals(sqlJournals(api.database), { apply: true, lines: linesFrom(fileOf(records)) });
  const ask = async (query: string): Promise<Json> => {
    const response = await api.get(`/api/v1/cls/balances?${query}`);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };

  /** A revolver of two lenders with a swingline of one and letters of credit of both. */
  const aDeal = () => {
    const loan = aLoan(borrower, [anna, bert], { type: 'revolver', name: 'Revolver' });
    const sublimit = (change: Partial<FacilityRecord>) =>
      aFacility(loan.deal, { sublimitOf: loan.facility.id, ...change });
    const swingline = sublimit({ type: 'swingline', name: 'Swingline' });
    const letters = sublimit({ type: 'letter_of_credit', name: 'Letters of credit' });
    const contract = {
      ...loan.contract,
      id: loan.contract.id.replace(/.{3}$/, '777'),
      facility: swingline.id,
    };
    const positions = [
      aPosition(swingline, anna),
      aPosition(letters, anna),
      aPosition(letters, bert),
    ];
    const all = [...loan.all, swingline, letters, contract, ...positions];
    return { ...loan, swingline, letters, swing: contract, all };
  };
  type Deal = ReturnType<typeof aDeal>;

  const commitment = ({ deal }: Deal, facility: FacilityRecord, holders: Holders) =>
    aCommitment({ deal, facility }, '2024-01-01', holders);
  const negated = (holders: Holders): Holders =>
    holders.map(([lender, amount]) => [
      lender,
      amount.startsWith('-') ? amount.slice(1) : `-${amount}`,
    ]);
  const moved = (
    deal: Deal,
    kind: 'revolver' | 'swingline' | 'letters',
    day: string,
    holders: Holders,
    overadvance = false,
  ) => {
    const more = overadvance ? { overadvance: true as const } : {};
    const facility = kind === 'revolver' ? deal.facility : deal[kind];
    const used = entry({ facility }, ['UNFUNDED', 'MEMO'], negated(holders));
    if (kind === 'letters') {
      const issued = entry({ facility }, ['LETTER_OF_CREDIT', 'MEMO'], holders);
      return aJournal(deal.deal, 'letter_of_credit', day, [...issued, ...used], more);
    }
    const contract = kind === 'revolver' ? deal.contract : deal.swing;
    const repaid = holders[0]?.[1].startsWith('-') ?? false;
    const movement = repaid ? 'scheduled_repayment' : 'advance';
    const cash: readonly PostingRecord[] = entry(
      { facility, contract },
      ['PRINCIPAL_CASH', 'CASH_CLEARING'],
      holders,
      { movement },
    );
    return aJournal(deal.deal, movement, day, [...cash, ...used], more);
  };
  /** Globally, and for each lender: four tenths and the rest. */
  const both = (global: string, first: string, second: string): Holders => [
    [undefined, global],
    [anna, first],
    [bert, second],
  ];
  const annas = (amount: string): Holders => [
    [undefined, amount],
    [anna, amount],
  ];
  const committed = (deal: Deal) => [
    commitment(deal, deal.facility, both('50000000.00', '20000000.00', '30000000.00')),
    commitment(deal, deal.swingline, annas('10000000.00')),
    commitment(deal, deal.letters, both('15000000.00', '6000000.00', '9000000.00')),
  ];
  const drawn = (deal: Deal) => [
    moved(deal, 'revolver', '2024-02-01', both('20000000.00', '8000000.00', '12000000.00')),
    moved(deal, 'swingline', '2024-03-01', annas('4000000.00')),
    moved(deal, 'letters', '2024-04-01', both('5000000.00', '2000000.00', '3000000.00')),
  ];

  describe('of a revolver', () => {
    const deal = aDeal();
    before(async () => {
      const report = await load([...deal.all, ...committed(deal), ...drawn(deal)]);
      expect([report.outcome, report.faults]).to.deep.equal(['applied', []]);
    });
    const facilities = async (query = '') => {
      const { data } = await ask(`dealId=${deal.deal.id}&level=facility${query}`);
      return Object.fromEntries(data.map((one: Json) => [one.facility.type, one]));
    };

    it('counts once in the deal: its commitment, what is unfunded and what is available', async () => {
      const { data } = await ask(`dealId=${deal.deal.id}&level=deal`);
      expect(data[0].global.commitment).to.deep.include({
        original: '50000000.00',
        current: '50000000.00',
        funded: '24000000.00',
        letterOfCredit: '5000000.00',
        unfunded: '21000000.00',
        available: '21000000.00',
      });
      const shares = data[0].lenders.map((one: Json) => [
        one.lender.name,
        one.commitment.current,
        one.commitment.unfunded,
      ]);
      expect(shares.sort()).to.deep.equal([
        ['Anna', '20000000.00', '6000000.00'],
        ['Bert', '30000000.00', '15000000.00'],
      ]);
    });

    it('leaves the revolver what is not used under it, and names it', async () => {
      const { revolver, swingline } = (await facilities()) as Json;
      expect(revolver.facility.sublimitOf).to.equal(null);
      expect(swingline.facility.sublimitOf).to.equal(deal.facility.id);
      expect(revolver.global.commitment).to.deep.include({
        current: '50000000.00',
        funded: '20000000.00',
        sublimitUsed: '9000000.00',
        unfunded: '21000000.00',
        available: '21000000.00',
      });
      expect(swingline.global.commitment).to.deep.include({
        current: '10000000.00',
        unfunded: '6000000.00',
        available: '6000000.00',
      });
    });

    it('counts once in totals with its revolver, and whole without it', async () => {
      await sqlEntitlements(api.database).grant({
        ...{ customer: 'agent-of-one', role: 'agent', lenderId: undefined },
        deals: { dealId: deal.deal.id },
      });
      for (const level of ['facility', 'position']) {
        const unfunded = async (more: string) => {
          const { totals } = await ask(`dealId=${deal.deal.id}&level=${level}${more}`);
          return totals[0].unfunded;
        };
        expect(await unfunded(''), level).to.equal('21000000.00');
        expect(await unfunded('&facilityType=revolver'), level).to.equal('21000000.00');
        expect(await unfunded('&facilityType=swingline'), level).to.equal('6000000.00');
        expect(await unfunded('&facilityType=swingline,letter_of_credit')).to.equal('16000000.00');
        const path = `/api/v1/cls/balances?level=${level}&limit=1`;
        const own = (await (await api.get(path, viewer('agent-of-one'))).json()) as Json;
        expect(own.totals[0].unfunded, level).to.equal('21000000.00');
      }
    });

    it('has no more available than its revolver, and its lenders’ parts add up to that', async () => {
      // Leaves 2,000,000.01 to draw: four tenths of a cent more than whole parts.
      const more = both('18999999.99', '7599999.99', '11400000.00');
      await load([moved(deal, 'revolver', '2024-05-01', more)]);
      const { swingline, letter_of_credit: letters } = (await facilities()) as Json;
      expect(swingline.global.commitment.available).to.equal('2000000.01');
      expect(letters.global.commitment.available).to.equal('2000000.01');
      for (const one of [swingline, letters]) {
        const parts = one.lenders.map(({ commitment }: Json) => cents(commitment.available));
        expect(parts.reduce((sum: bigint, part: bigint) => sum + part, 0n)).to.equal(2_000_000_01n);
      }
      // A lender that sees its own part alone gets the same.
      await sqlEntitlements(api.database).grant({
        customer: 'anna',
        role: 'lender',
        lenderId: anna.id,
        deals: { dealId: deal.deal.id },
      });
      const path = `/api/v1/cls/balances?level=facility&facilityType=letter_of_credit`;
      const own = (await (await api.get(path, viewer('anna'))).json()) as Json;
      const part = letters.lenders.find(({ lender }: Json) => lender.id === anna.id);
      expect(own.data[0].share.commitment).to.deep.equal(part.commitment);
      const before = (await facilities('&asOf=2024-04-30'))['swingline'];
      expect(before.global.commitment.available).to.equal('6000000.00');
    });

    it('is part of the journal file, which a copy takes as it is', async () => {
      const copy = await startTestApi(engine);
      try {
        const text = await exported(api);
        expect(text).to.include(`"sublimitOf":"${deal.facility.id}"`);
        const lines = linesFrom(text.trimEnd().split('\n'));
        const report = await importJournals(sqlJournals(copy.database), { apply: true, lines });
        expect([report.outcome, report.faults]).to.deep.equal(['applied', []]);
        expect(await exported(copy)).to.equal(text);
      } finally {
        await copy.stop();
      }
    });
  });

  it('has nothing available where terms ended that, and has it again when they are taken back', async () => {
    const deal = aDeal();
    const ending = [deal.facility, deal.letters].map(({ id }) =>
      aJournal(deal.deal, 'terms', '2024-06-01', [], {
        terms: [{ facility: id, status: 'active', availabilityEndDate: date('2024-05-31') }],
      }),
    );
    const available = async (more = '') => {
      const query = `dealId=${deal.deal.id}&level=facility&asOf=2024-07-31&includeZero=true`;
      const { data } = await ask(`${query}${more}`);
      return Object.fromEntries(
        data.map((one: Json) => [one.facility.type, one.global.commitment.available]),
      );
    };
    await loadRecords(api.database, [...deal.all, ...committed(deal), ...drawn(deal)]);
    const open = { revolver: '21000000.00', swingline: '6000000.00' };
    expect(await available()).to.deep.equal({ ...open, letter_of_credit: '10000000.00' });
    await loadRecords(api.database, ending);
    const ended = { revolver: '0.00', swingline: '0.00', letter_of_credit: '0.00' };
    expect(await available()).to.deep.equal(ended);
    const { knownAt } = (await ask(`dealId=${deal.deal.id}`)).meta;
    const reversals = ending.map((one) => ({ ...reversalOf(one), terms: [] }));
    await loadRecords(api.database, reversals);
    expect(await available()).to.deep.equal({ ...open, letter_of_credit: '10000000.00' });
    expect(await available(`&knownAt=${knownAt}`)).to.deep.equal(ended);
  });

  it('refuses a drawing that the facility around it does not cover', async () => {
    const deal = aDeal();
    const start = [...deal.all, ...committed(deal)];
    const most = both('45000000.00', '18000000.00', '27000000.00');
    const journals = [
      moved(deal, 'revolver', '2024-02-01', most),
      moved(deal, 'swingline', '2024-03-01', annas('5000000.01')),
    ];
    const { faults } = await load([...start, ...journals]);
    expect(faults.map(({ line, field, code }) => [line - start.length, field, code])).to.deep.equal(
      [[2, 'postings.0.amount', 'exceeds_commitment']],
    );
  });

  it('says nothing of the facility around it where a journal under it is at fault', async () => {
    const deal = aDeal();
    const start = [...deal.all, ...committed(deal)];
    const repaid = moved(deal, 'swingline', '2024-03-01', annas('-5000000.00'));
    const journals = [
      moved(deal, 'swingline', '2024-02-01', annas('5000000.00')),
      { ...repaid, postings: repaid.postings.slice(1) },
      moved(deal, 'revolver', '2024-04-01', both('50000000.00', '20000000.00', '30000000.00')),
    ];
    const { faults } = await load([...start, ...journals]);
    expect(faults).not.to.have.length(0);
    for (const { line, code } of faults) expect(line - start.length, code).to.equal(2);
  });

  it('is refused of another deal, of another currency, of a sublimit, and with other lenders', async () => {
    const deal = aDeal();
    const elsewhere = aLoan(borrower, [anna]);
    const pounds = aFacility(deal.deal, { currency: 'GBP', sublimitOf: deal.facility.id });
    const foreign = aFacility(elsewhere.deal, { sublimitOf: deal.facility.id });
    const nested = aFacility(deal.deal, { sublimitOf: deal.swingline.id });
    const start = [...deal.all, ...elsewhere.all];
    const wrong = [pounds, foreign, nested, aPosition(deal.swingline, borrower)];
    const { faults } = await load([...start, ...wrong]);
    expect(faults.map(({ line, field, code }) => [line - start.length, field, code])).to.deep.equal(
      [
        [1, 'sublimitOf', 'other_currency'],
        [2, 'sublimitOf', 'other_deal'],
        [3, 'sublimitOf', 'nested_sublimit'],
        [4, 'lender', 'unknown_reference'],
      ],
    );
    for (const one of wrong) {
      const refused = await loadRecords(api.database, [...start, one]).catch((error) => error);
      expect(`${refused}`, one.object).to.match(/sublimit/);
    }
  });

  it('follows every history of drawings, repayments and corrections', async () => {
    const random = new Random(5);
    const deal = aDeal();
    await load([...deal.all, ...committed(deal)]);
    const kinds = ['revolver', 'swingline', 'letters'] as const;
    const limits = { revolver: 50_000_000_00n, swingline: 10_000_000_00n, letters: 15_000_000_00n };
    const moves: { kind: (typeof kinds)[number]; day: string; minor: bigint }[] = [];
    for (let step = 0; step < 25; step += 1) {
      const kind = random.pick(kinds);
      const day = `2024-${`${random.between(2, 9)}`.padStart(2, '0')}-15`;
      const minor = BigInt(random.between(-900_000, 1_500_000)) * 5n;
      if (minor === 0n) continue;
      moves.push({ kind, day, minor });
      // Lenders need not fund in proportion: one may fund more than its commitment.
      const first = (minor / 5n) * BigInt(random.between(-3, 8));
      const holders =
        kind === 'swingline'
          ? annas(text(minor))
          : both(text(minor), text(first), text(minor - first)).filter(
              ([, amount]) => amount !== '0.00',
            );
      await loadRecords(api.database, [moved(deal, kind, day, holders, true)]);
    }
    for (const asOf of ['2024-02-15', '2024-05-20', '2024-09-30']) {
      const used = (kind: string) =>
        moves.reduce(
          (sum, move) => sum + (move.kind === kind && move.day <= asOf ? move.minor : 0n),
          0n,
        );
      const all = used('revolver') + used('swingline') + used('letters');
      const query = `dealId=${deal.deal.id}&asOf=${asOf}&includeZero=true`;
      const { data } = await ask(`${query}&level=facility`);
      for (const kind of kinds) {
        const type = kind === 'letters' ? 'letter_of_credit' : kind;
        const { commitment: found } = data.find((one: Json) => one.facility.type === type).global;
        const unfunded = limits[kind] - (kind === 'revolver' ? all : used(kind));
        const left = least(unfunded, limits.revolver - all);
        expect(found, `${kind} ${asOf}`).to.deep.include({
          current: text(limits[kind]),
          unfunded: text(unfunded),
          available: text(left < 0n ? 0n : left),
        });
      }
      const sumsOf = async (level: string) => {
        const items = (await ask(`${query}&level=${level}`)).data;
        for (const { global, lenders } of level === 'position' ? [] : items) {
          expect(availableOf(lenders), `${level} ${asOf}`).to.equal(availableOf([global]));
        }
        const { totals } = await ask(`${query}&level=${level}&include=totals`);
        const path = `/api/v1/cls/balances/totals?${query}&level=${level}`;
        const [{ available }] = ((await (await api.get(path)).json()) as Json).totals;
        return [available, totals[0].unfunded];
      };
      const sums = await sumsOf('deal');
      expect(await sumsOf('facility'), asOf).to.deep.equal(sums);
      expect(await sumsOf('position'), asOf).to.deep.equal(sums);
      const [whole] = (await ask(`${query}&level=deal`)).data;
      expect(whole.global.commitment, asOf).to.deep.include({
        original: text(limits.revolver),
        current: text(limits.revolver),
        unfunded: text(limits.revolver - all),
      });
      const { totals } = await ask(`${query}&level=facility`);
      expect(totals[0].unfunded, asOf).to.equal(text(limits.revolver - all));
    }
  });

  it('comes with some generated books, with the balances that they must have', async () => {
    const { records, answers } = generated({
      ...{ contracts: 30, years: 1 },
      ...{ sublimits: true, uneven: true },
    });
    expect(records.filter((one) => 'sublimitOf' in one)).not.to.have.length(0);
    const books = sqlGeneratedBooks(api.database);
    const { outcome, differing } = await books.write(records, () => answers, true);
    expect([outcome, differing]).to.deep.equal(['applied', []]);
  });

  it('keeps every invariant', async () => {
    const checks = await expectReconciled(api.database, { points: 5 });
    expect(checks.map(({ invariant }) => invariant)).to.include('sublimits_fit');
  });
});

function availableOf(lines: readonly Json[]): bigint {
  return lines.reduce((sum, { commitment }) => sum + cents(commitment.available), 0n);
}

function cents(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

function text(minor: bigint): string {
  const digits = `${minor < 0n ? -minor : minor}`.padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

async function exported(api: TestApi): Promise<string> {
  let whole = '';
  await exportJournals(sqlJournals(api.database), async (part) => {
    whole += part;
  });
  return whole;
}
