import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import type { JournalRecord } from '../src/journal-file/record.ts';
import { ZERO_BALANCE } from '../src/ledger/balance.ts';
import { presentTotals } from '../src/versions/v1/present.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { generated, loadRecords } from './support/generated.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const cents = (amount: string) => BigInt(amount.replace('.', ''));
const sum = (amounts: readonly string[]) =>
  amounts.reduce((total, amount) => total + cents(amount), 0n);

describeOnDatabase('balances of a syndicated book', (engine) => {
  const { records, answers } = generated({ contracts: 14, seed: 21 });
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine);
    await loadRecords(api.database, records);
  });
  after(() => api?.stop());

  const get = async (path: string, claims?: Record<string, unknown>): Promise<Json> => {
    const response = await api.get(`/api/v1/cls/balances${path}`, claims);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const refused = async (path: string) => {
    const response = await api.get(`/api/v1/cls/balances${path}`);
    const body = (await response.json()) as Json;
    expect(response.status).to.equal(400);
    return body.errors.map((error: Json) => [error.parameter, error.code]);
  };
  const all = 'includeZero=true&limit=1000';

  it('are what the book’s events come to, facility by facility', async () => {
    const { data } = await get(`?${all}`);
    expect(data.length).to.equal(answers.length);
    for (const answer of answers) {
      const item = data.find((one: Json) => one.facility.id === answer.facility);
      expect(cents(item.global.principal.cash)).to.equal(answer.principalCash);
      expect(cents(item.global.principal.pikCapitalized)).to.equal(answer.principalPik);
      expect(cents(item.global.commitment.unfunded)).to.equal(answer.unfunded);
      expect(cents(item.global.commitment.letterOfCredit)).to.equal(answer.letterOfCredit);
      expect(cents(item.global.interest.due)).to.equal(answer.interestDue);
      expect(cents(item.global.commitment.original)).to.equal(answer.originalCommitment);
    }
  });

  it('add up: lenders to the global amount, contracts to facilities, facilities to deals', async () => {
    const [deals, facilities, contracts, positions] = await Promise.all(
      ['deal', 'facility', 'contract', 'position'].map((level) => get(`?${all}&level=${level}`)),
    );
    const amountsOf = (global: Json): [string, string][] =>
      Object.entries(global).flatMap(([group, amounts]) =>
        Object.entries(amounts as Json)
          .filter(([name]) => name !== 'available')
          .map(([name, amount]): [string, string] => [`${group}.${name}`, amount as string]),
      );
    const at = (item: Json, path: string) => {
      const [group = '', name = ''] = path.split('.');
      return item[group][name];
    };
    for (const facility of facilities.data) {
      const within = contracts.data.filter((c: Json) => c.facility.id === facility.facility.id);
      const held = positions.data.filter((p: Json) => p.facility.id === facility.facility.id);
      for (const [path, amount] of amountsOf(facility.global)) {
        const lenders = facility.lenders.map((lender: Json) => at(lender, path));
        expect(sum(lenders), `lenders’ ${path}`).to.equal(cents(amount));
        const shares = held.map(({ share }: Json) => at(share, path));
        expect(sum(shares), `positions’ ${path}`).to.equal(cents(amount));
        // Commitments and their fees stand on the facility.
        if (/^(commitment|fees|total)\./.test(path)) continue;
        const parts = within.map(({ global }: Json) => at(global, path));
        expect(sum(parts), `contracts’ ${path}`).to.equal(cents(amount));
      }
    }
    for (const deal of deals.data) {
      const within = facilities.data.filter((f: Json) => f.deal.id === deal.deal.id);
      for (const [path, amount] of amountsOf(deal.global)) {
        const parts = within.map(({ global }: Json) => at(global, path));
        expect(sum(parts), `facilities’ ${path}`).to.equal(cents(amount));
      }
    }
  });

  it('total to the sum of the items, also those that accrue', async () => {
    for (const level of ['deal', 'facility', 'contract', 'position']) {
      const { data, totals } = await get(`?limit=1000&level=${level}`);
      for (const total of totals) {
        const items = data.filter(({ currency }: Json) => currency === total.currency);
        const amounts = items.map((item: Json) =>
          level === 'position' ? item.share : item.global,
        );
        expect(total.count).to.equal(items.length);
        const of = (path: (amount: Json) => string) => sum(amounts.map(path));
        expect(cents(total.interestAccrued)).to.equal(of(({ interest }) => interest.accrued));
        expect(cents(total.feesAccrued)).to.equal(of(({ fees }) => fees.accrued));
        expect(cents(total.principalOutstanding)).to.equal(
          of(({ principal }) => principal.outstanding),
        );
      }
    }
  });

  it('explain what has accrued by periods that add up to it', async () => {
    const { data } = await get(`?level=contract&expand=accrual&limit=1000&asOf=2024-11-20`);
    const accruing = data.filter(({ accrual }: Json) => accrual.length > 0);
    expect(accruing.length).to.be.greaterThan(5);
    for (const item of accruing) {
      const [interest] = item.accrual;
      expect(interest.amount).to.equal(item.global.interest.accrued);
      const exact = sum(interest.periods.map(({ amount }: Json) => amount));
      const digits = (interest.amount.split('.')[1] ?? '').length;
      const scale = 10n ** BigInt(12 - digits);
      const off = exact - cents(interest.amount) * scale;
      expect(off <= scale / 2n + 9n && -off <= scale / 2n + 9n).to.equal(true);
      for (const period of interest.periods) {
        expect(Number(period.baseRate) + Number(period.spread)).to.be.closeTo(
          Number(period.rate),
          1e-12,
        );
      }
    }
  });

  it('tell what is past due, since when, of what was billed and not paid', async () => {
    const unpaid = (record: JournalRecord) => record.type === 'interest_billing';
    const billings = records.filter((r): r is JournalRecord => r.object === 'journal' && unpaid(r));
    const billing = billings[0];
    const due = billing?.postings.find(({ lender, dueDate }) => !lender && dueDate);
    const contract = due?.contract ?? '';
    const at = async (day: string) =>
      (await get(`?level=contract&contractId=${contract}&asOf=${day}`)).data[0];
    const onDueDate = await at(due?.dueDate ?? '');
    expect(onDueDate.global.interest.pastDue).to.match(/^0(\.0+)?$/);
    const before = await at(billing?.effectiveDate ?? '');
    expect(before.global.interest.due).to.equal(due?.amount);
    expect(before.status.daysPastDue).to.equal(0);
    const { data } = await get('?level=contract&limit=1000');
    for (const { global, status } of data) {
      expect(cents(global.interest.pastDue) <= cents(global.interest.due)).to.equal(true);
      expect(status.daysPastDue > 0).to.equal(cents(global.total.pastDue) > 0n);
    }
  });

  it('roll forward at every level: opening plus movements is closing, in pieces too', async () => {
    for (const level of ['deal', 'facility', 'contract', 'position']) {
      const period = async (from: string, to: string) =>
        (await get(`/principal?${all}&level=${level}&fromDate=${from}&toDate=${to}`)).data;
      const whole = await period('2023-06-01', '2024-12-31');
      const first = await period('2023-06-01', '2024-03-31');
      const second = await period('2024-04-01', '2024-12-31');
      for (const item of whole) {
        const pick = (items: Json) => {
          const { global, share } =
            items.find(({ id }: Json) => id.split('_2024')[0] === item.id.split('_2024')[0]) ?? {};
          return level === 'position' ? share : global;
        };
        const line = pick(whole);
        const moved = sum(Object.values(line.movements));
        expect(cents(line.opening) + moved).to.equal(cents(line.closing));
        const [a, b] = [pick(first), pick(second)];
        expect(b.opening).to.equal(a.closing);
        expect(b.closing).to.equal(line.closing);
        for (const [name, amount] of Object.entries(line.movements)) {
          expect(cents(a.movements[name]) + cents(b.movements[name])).to.equal(
            cents(amount as string),
          );
        }
      }
    }
  });

  it('show the movements behind each number by a link', async () => {
    const { data } = await get(
      '/principal?fromDate=2023-06-01&toDate=2024-06-30&limit=5&level=facility',
    );
    for (const item of data) {
      const path = item.links.movements.replace('/api/v1/cls/balances', '');
      const movements: Json[] = [];
      let page = await get(`${path}&limit=7`);
      for (;;) {
        movements.push(...page.data);
        if (!page.page.hasMore) break;
        page = await get(`/principal/movements?limit=7&cursor=${page.page.nextCursor}`);
      }
      const global = movements.filter(({ lender }) => lender === null);
      expect(global.length).to.equal(item.movementCount);
      const of = (name: string) =>
        sum(global.filter(({ movement }) => movement === name).map(({ amount }) => amount));
      expect(of('advance')).to.equal(cents(item.global.movements.advances));
      expect(of('scheduled_repayment')).to.equal(cents(item.global.movements.scheduledRepayments));
      expect(global.filter(({ journal }) => journal.reverses !== null).length).to.equal(
        item.reversedCount,
      );
    }
  });

  it('filter and sort, page by page, without losing or repeating an item', async () => {
    for (const sort of [
      'outstanding',
      '-outstanding',
      'dealNumber',
      '-maturityDate',
      'borrower',
      'facilityName',
      '-unfunded',
    ]) {
      const whole = (await get(`?${all}&sort=${sort}&currency=USD`)).data.map(({ id }: Json) => id);
      const seen: string[] = [];
      let page = await get(`?includeZero=true&limit=3&sort=${sort}&currency=USD`);
      for (;;) {
        seen.push(...page.data.map(({ id }: Json) => id));
        if (!page.page.hasMore) break;
        page = await get(`?limit=3&cursor=${page.page.nextCursor}`);
      }
      expect(seen).to.deep.equal(whole);
      expect(new Set(seen).size).to.equal(seen.length);
    }
    const { data } = await get(`?${all}&sort=-outstanding&currency=USD&minOutstanding=1000000`);
    const amounts = data.map(({ global }: Json) => cents(global.principal.outstanding));
    expect(amounts.length).to.be.greaterThan(0);
    expect(amounts).to.deep.equal([...amounts].sort((a, b) => (a > b ? -1 : 1)));
    expect(amounts.every((amount: bigint) => amount >= 100_000_000n)).to.equal(true);
    const types = (await get(`?${all}&facilityType=revolver,swingline`)).data;
    expect(
      types.every(({ facility }: Json) => ['revolver', 'swingline'].includes(facility.type)),
    ).to.equal(true);
  });

  it('show a lender its own share and no other’s, however it asks', async () => {
    const { data } = await get(`?${all}`);
    const lender = data[0].lenders[0].lender;
    await sqlEntitlements(api.database).grant({
      customer: 'fund-one',
      role: 'lender',
      lenderId: lender.id,
      deals: { allDeals: true },
    });
    const claims = viewer('fund-one');
    const mine = await get(`?${all}`, claims);
    const full = new Map(data.map((item: Json) => [item.id, item]));
    for (const item of mine.data) {
      const held = (full.get(item.id) as Json).lenders.find(
        (one: Json) => one.lender.id === lender.id,
      );
      // To the cent what an agent sees of it, although other lenders’ parts decide the rounding.
      expect(item.share).to.deep.equal(held ?? null);
      expect(item.lenders).to.deep.equal(held === undefined ? [] : [held]);
    }
    const other = data[0].lenders[1].lender.id;
    expect((await get(`?${all}&lenderId=${other}`, claims)).data).to.deep.equal([]);
    const positions = await get(`?${all}&level=position`, claims);
    expect(positions.data.every(({ share }: Json) => share.lender.id === lender.id)).to.equal(true);
    const movements = await get('/principal/movements?limit=1000', claims);
    const lenders = new Set(movements.data.map((one: Json) => one.lender?.id ?? null));
    expect([...lenders].every((id) => id === null || id === lender.id)).to.equal(true);
  });

  it('refuse parameters that contradict each other, all at once', async () => {
    expect(
      await refused(
        '/principal?asOf=2024-01-31&toDate=2024-01-31&level=deal&facilityType=revolver',
      ),
    ).to.deep.equal([
      ['toDate', 'contradictory'],
      ['facilityType', 'contradictory'],
    ]);
    expect(await refused('?minOutstanding=5&fxDate=2024-01-01&expand=movements')).to.deep.equal([
      ['minOutstanding', 'currency_required'],
      ['expand', 'contradictory'],
      ['fxDate', 'contradictory'],
    ]);
    expect(await refused('/principal?fromDate=2024-03-01&toDate=2024-02-01')).to.deep.equal([
      ['fromDate', 'invalid_range'],
    ]);
    expect(
      await refused('?asOf=2023-02-30&knownAt=yesterday&level=loan&sort=colour'),
    ).to.deep.equal([
      ['level', 'invalid_parameter'],
      ['asOf', 'invalid_date'],
      ['knownAt', 'invalid_instant'],
      ['sort', 'invalid_parameter'],
    ]);
    expect(await refused('?knownAt=2999-01-01T00:00:00Z')).to.deep.equal([
      ['knownAt', 'known_at_in_future'],
    ]);
    expect(await refused('?knownAt=2001-01-01T00:00:00Z')).to.deep.equal([
      ['knownAt', 'known_at_before_book'],
    ]);
    expect(await refused('/principal?fromDate=2001-01-01')).to.deep.equal([
      ['fromDate', 'from_before_book'],
    ]);
    expect(await refused('?fields=global.principal.colour')).to.deep.equal([
      ['fields', 'unknown_field'],
    ]);
  });

  it('take an instant as clients of many languages write it, and none without an offset', async () => {
    const { knownAt } = (await get('')).meta;
    const answer = async (instant: string) => {
      const path = `/api/v1/cls/balances?knownAt=${encodeURIComponent(instant)}`;
      const { status, data, meta } = (await (await api.get(path)).json()) as Json;
      return status ?? { data, meta };
    };
    const whole = await answer(knownAt);
    for (const [end, instead] of [
      [/Z$/, '+00:00'],
      [/Z$/, '+0000'],
      [/Z$/, '999Z'],
      [/Z$/, '999-0000'],
    ] as const) {
      const instant = knownAt.replace(end, instead);
      expect(await answer(instant), instant).to.deep.equal(whole);
    }
    for (const odd of ['', '+00', '+000', '+00:0', '0000Z', '+9999', 'z']) {
      expect(await answer(knownAt.replace('Z', odd)), odd).to.equal(400);
    }
  });

  it('give only the fields that are asked for', async () => {
    const { data } = await get('?fields=global.principal.outstanding,facility.name&limit=1');
    expect(Object.keys(data[0])).to.have.members([
      'object',
      'id',
      'facility',
      'currency',
      'global',
    ]);
    expect(Object.keys(data[0].global.principal)).to.deep.equal(['outstanding']);
  });

  it('are told in another currency only when asked, by a rate that is named', async () => {
    const missing = await api.get('/api/v1/cls/balances?reportingCurrency=USD&limit=1000');
    expect(missing.status).to.equal(422);
    expect(((await missing.json()) as Json).code).to.equal('fx_rate_missing');
    for (const [from, rate] of [
      ['EUR', '1.0832'],
      ['GBP', '1.27'],
      ['JPY', '0.0066125'],
    ]) {
      await api.database.query(
        `INSERT INTO fx_rate (rate_date, from_currency, to_currency, rate, source)
         VALUES ('2024-01-02', $1, 'USD', $2, 'ECB')`,
        [from ?? '', rate ?? ''],
      );
    }
    const { data, reportingTotal } = await get('?reportingCurrency=USD&limit=1000&sort=dealNumber');
    for (const { currency, global, reporting } of data) {
      const outstanding = Number(global.principal.outstanding);
      const rates: Record<string, number> = { USD: 1, EUR: 1.0832, GBP: 1.27, JPY: 0.0066125 };
      expect(Number(reporting.principalOutstanding)).to.be.closeTo(
        outstanding * (rates[currency] ?? 0),
        0.006,
      );
      if (currency !== 'USD')
        expect(reporting).to.include({ currency: 'USD', rateDate: '2024-01-02', source: 'ECB' });
    }
    const whole = sum(data.map(({ reporting }: Json) => reporting.principalOutstanding));
    expect(Number(cents(reportingTotal.principalOutstanding) - whole)).to.be.closeTo(
      0,
      data.length,
    );
    const early = await api.get(
      '/api/v1/cls/balances?reportingCurrency=USD&fxDate=2023-12-31&limit=1000',
    );
    expect(early.status).to.equal(422);
    const csv = await api.getWith('/api/v1/cls/balances?reportingCurrency=USD', await api.token(), {
      accept: 'text/csv',
    });
    expect((await csv.text()).split('\r\n', 1)[0]).to.include('reporting.principalOutstanding');
  });

  it('tell the contracts within an item when asked', async () => {
    const { data } = await get('?level=deal&expand=contracts&limit=3');
    for (const deal of data) {
      const parts = deal.contracts.map(({ global }: Json) => global.principal.outstanding);
      expect(sum(parts)).to.equal(cents(deal.global.principal.outstanding));
    }
    const moved = await get('/principal?expand=movements&limit=2');
    expect(moved.data[0].movements.length).to.be.greaterThan(0);
  });

  it('tell contracts and movements together as each alone', async () => {
    for (const level of ['deal', 'facility']) {
      const [both, contracts, movements] = await Promise.all(
        ['contracts,movements', 'contracts', 'movements'].map((expand) =>
          get(`/principal?level=${level}&limit=3&expand=${expand}`),
        ),
      );
      const expected = contracts.data.map((item: Json, at: number) => ({
        ...item,
        movements: movements.data[at].movements,
      }));
      expect(both.data).to.deep.equal(expected);
    }
  });

  it('tell with an item the movements that the list has, each with its facility', async () => {
    const listed = new Map<string, Json>();
    for (let cursor = ''; ; ) {
      const { data, page } = await get(`/principal/movements?limit=1000${cursor}`);
      for (const one of data) listed.set(one.id, one);
      if (!page.hasMore) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    for (const level of ['deal', 'facility', 'contract', 'position']) {
      const { data } = await get(`/principal?level=${level}&limit=100&expand=movements`);
      for (const { movements } of data) {
        for (const one of movements) expect(one, level).to.deep.equal(listed.get(one.id));
      }
    }
  });
});

describe('totals in another currency', () => {
  const total = (currency: string, withAccruals: boolean) => {
    return { currency, count: 1, balance: { ...ZERO_BALANCE, principal_cash: 500n }, withAccruals };
  };
  const told = (withAccruals: boolean) =>
    presentTotals([total('EUR', withAccruals), total('USD', withAccruals)], {
      question: { level: 'facility', reporting: { currency: 'USD', date: undefined } },
      rates: new Map([
        ['EUR', { rate: '2', date: '2024-01-02', source: 'ECB' }],
        ['USD', { rate: '1', date: '2024-01-02', source: '' }],
      ]),
    } as never);

  it('are told with the interest, or not where it was not added up', () => {
    const { reportingTotal } = told(true);
    expect(reportingTotal).to.include({ principalOutstanding: '15.00', interestAccrued: '0.00' });
    const { totals, reportingTotal: missing } = told(false);
    expect(totals.map(({ interestAccrued }) => interestAccrued)).to.deep.equal([null, null]);
    expect(missing).to.equal(undefined);
  });
});
