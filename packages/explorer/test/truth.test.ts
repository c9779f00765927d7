import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import type {
  BalanceItem,
  Deal,
  Line,
  List,
  Movement,
  RollForwardItem,
  Single,
} from '../src/balances/shapes.ts';
import { difference, isZero, percentOf, sumOf } from '../src/web/amounts.ts';
import { textIn } from '../src/web/text.ts';
import type { Page, Person } from './support/person.ts';
import { linkNamed, numberOf, rowsOf, textOf, valuesIn } from './support/reading.ts';
import {
  aBook,
  aJournal,
  aLoan,
  aParty,
  businessDate,
  entry,
  FULL,
  type Loan,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from './support/services.ts';
import { readTable } from './support/tables.ts';
import { changesDiffer, compared } from './support/walk.ts';

/** What a row of the list of deals shows. */
const shownInList = ({ global }: BalanceItem) => [
  global.principal.outstanding,
  global.commitment.current,
  global.commitment.available,
  global.total.pastDue,
  global.interest.accrued,
];
const shownOfDeal = ({ principal, total, commitment, interest, fees }: Line) => [
  ...[commitment.current, commitment.unfunded, commitment.available, commitment.letterOfCredit],
  ...[principal.outstanding, principal.pastDue],
  ...[interest.accrued, ...(isZero(interest.pikAccrued) ? [] : [interest.pikAccrued])],
  ...[interest.due, interest.pastDue],
  ...[fees.accrued, fees.due, fees.pastDue],
  ...[total.outstanding, total.pastDue],
];

/** What was repaid of a term loan; or what was added, as where a drawing needs no commitment. */
const otherwise = ({ original, cancelled, current }: Line['commitment']) => {
  const rest = difference(current, difference(cancelled, original));
  return isZero(rest) ? [] : [rest.replace('-', '')];
};

type Journal = ReturnType<typeof aJournal>;

/** Of so many journals the rates of interest are rates of PIK too. */
const PIK_OF = 40;
function withPik({ deal, effectiveDate, rates = [] }: Journal): Journal[] {
  const pik = rates.flatMap(({ facility, contract, component, startDate, allInRate }) =>
    component === 'interest'
      ? [{ facility, contract, component: 'pik' as const, startDate, allInRate }]
      : [],
  );
  return pik.length === 0
    ? []
    : [aJournal({ id: deal } as Loan['deal'], 'rate_set', effectiveDate, [], { rates: pik })];
}

describe('the numbers on pages', () => {
  let services: Services;
  let person: Person;
  let first: Page;
  /** The times of the visit, for questions to the API. */
  let times: string;
  let items: readonly BalanceItem[];
  /** Deals of this book: what other files posted may have no lender and no movement. */
  let own: ReadonlySet<string>;
  let journals: readonly Journal[];
  before(async () => {
    services = await sharedServices();
    const { records } = aBook({ contracts: 24, seed: 11 });
    journals = records.filter((record) => record.object === 'journal');
    await services.post([...records, ...journals.slice(0, PIK_OF).flatMap(withPik)]);
    own = new Set(records.flatMap((record) => (record.object === 'deal' ? [record.id] : [])));
    person = await services.person(FULL);
    first = await person.signIn('/deals?includeZero=true&limit=50');
    const { searchParams } = first.url;
    times = `asOf=${searchParams.get('asOf')}&knownAt=${searchParams.get('knownAt')}`;
    const question = `/balances?${times}&level=deal&includeZero=true&limit=1000`;
    items = (await services.ask<List<BalanceItem>>(question)).data;
  });

  it('are, on all pages of the list, the strings of the API in its order', async () => {
    const shown = [];
    let page: Page | undefined = first;
    while (page !== undefined) {
      shown.push(...rowsOf(page.html, 'deals'));
      const next = linkNamed(page.html, 'Next page');
      page = next === undefined ? undefined : await person.open(next);
    }
    expect(shown.map(({ numbers }) => numbers)).to.deep.equal(items.map(shownInList));
    for (const [at, { head }] of shown.entries()) {
      expect(head).to.include(items[at]?.deal.dealNumber);
    }
  });

  it('are, in the totals, those of the API over the whole filter', async () => {
    const { totals = [] } = await services.ask<List<BalanceItem>>(
      `/balances?${times}&level=deal&includeZero=true&limit=1&include=totals`,
    );
    expect(rowsOf(first.html, 'totals').map(({ numbers }) => numbers)).to.deep.equal(
      totals.map(({ count, principalOutstanding, unfunded, interestAccrued, feesAccrued }) => [
        `${count}`,
        principalOutstanding,
        unfunded,
        interestAccrued,
        feesAccrued,
      ]),
    );
  });

  it('are sorted and searched as the API does', async () => {
    const [some] = items;
    const words = some?.deal.dealNumber ?? '';
    for (const more of [
      'sort=-available',
      'sort=interestAccrued',
      `q=${encodeURIComponent(words)}`,
    ]) {
      const { html } = await person.open(`/deals?${times}&includeZero=true&limit=250&${more}`);
      const { data } = await services.ask<List<BalanceItem>>(
        `/balances?${times}&level=deal&includeZero=true&limit=250&${more}`,
      );
      expect(data.length, more).to.be.greaterThan(0);
      expect(rowsOf(html, 'deals').map(({ numbers }) => numbers)).to.deep.equal(
        data.map(shownInList),
      );
    }
  });

  it('lead on where a search finds nothing', async () => {
    const { html } = await person.open(`/deals?${times}&q=nobodyhasthisname`);
    expect(html).to.include('No deal passes these filters');
    expect(linkNamed(html, 'Clear all')).not.to.include('q=');
  });

  const dealIds = () => [...new Set(items.map(({ deal }) => deal.id))].filter((id) => own.has(id));

  it('are, on each deal’s page, its amounts and its lenders, who add up to them', async () => {
    for (const id of dealIds()) {
      const { html } = await person.open(`/deals/${id}?${times}&view=all`);
      const { data } = await services.ask<Single<Deal>>(`/deals/${id}?${times}`);
      for (const item of data.balances) {
        const amounts = rowsOf(html, `amounts-${item.currency}`);
        expect(amounts.flatMap(({ numbers }) => numbers)).to.deep.equal(shownOfDeal(item.global));
        const lenders = rowsOf(html, `lenders-${item.currency}`);
        expect(lenders.map(({ numbers }) => numbers.slice(1))).to.deep.equal(
          item.lenders.map((one) => [
            one.commitment.current,
            one.principal.outstanding,
            one.interest.accrued,
            one.fees.accrued,
          ]),
        );
        const [sum] = rowsOf(html, `lenders-${item.currency}`, 'tfoot');
        const { commitment, principal, interest, fees } = item.global;
        const whole = [commitment.current, principal.outstanding, interest.accrued, fees.accrued];
        expect(sum?.numbers).to.deep.equal(['', ...whole]);
        expect(sum?.html).not.to.include('differs');
      }
      const facilities = rowsOf(html, 'facilities');
      expect(facilities.map(({ numbers }) => numbers)).to.deep.equal(
        data.facilities.map(({ global }) => [
          global.principal.outstanding,
          global.commitment.current,
          global.commitment.available,
        ]),
      );
    }
  });

  const ADDED_UP = [
    ...['Outstanding principal', 'Interest accrued', 'PIK interest accrued', 'Interest due'],
    ...['Fees accrued', 'Fees due'],
  ];

  it('add up to the total of principal, interest and fees, also where interest is capitalised', async () => {
    const sums = (html: string, currency: string) => {
      const rows = rowsOf(html, `amounts-${currency}`);
      const added = rows.filter(({ head }) => ADDED_UP.includes(head));
      const total = rows.find(({ head }) => head === 'Principal, interest and fees');
      expect(total?.numbers).not.to.have.length(0);
      for (const [at, amount] of (total?.numbers ?? []).entries()) {
        expect(sumOf(added.map(({ numbers }) => numbers[at] ?? '0'))).to.equal(amount);
      }
    };
    for (const { deal, currency } of items) {
      sums((await person.open(`/deals/${deal.id}?${times}`)).html, currency);
    }
    const capitalised = items.filter(({ global }) => !isZero(global.interest.pikAccrued));
    expect(capitalised).not.to.have.length(0);
    for (const { deal, currency, lenders } of capitalised.slice(0, 3)) {
      const lenderId = lenders[0]?.lender.id ?? '';
      const grant = { role: 'lender', lenderId, deals: { dealId: deal.id } } as const;
      const lender = await services.person(VIEW, grant);
      const { html } = await lender.signIn(`/deals/${deal.id}?${times}`);
      expect(rowsOf(html, `amounts-${currency}`)[0]?.numbers).to.have.length(2);
      sums(html, currency);
    }
  });

  it('are, on each facility’s page, its commitment and its accruals to the last digit', async () => {
    const { data } = await services.ask<List<BalanceItem>>(
      `/balances?${times}&level=facility&includeZero=true&expand=accrual&limit=1000`,
    );
    let periods = 0;
    const accruing = data.filter(({ accrual = [] }) => accrual.length > 0);
    for (const item of accruing) {
      const { html } = await person.open(`/facilities/${item.facility?.id}?${times}`);
      const { commitment: of } = item.global;
      expect(rowsOf(html, 'commitment').flatMap(({ numbers }) => numbers)).to.deep.equal([
        ...[of.original, of.cancelled, ...otherwise(of), of.current, of.funded, of.letterOfCredit],
        ...[of.sublimitUsed, of.unfunded, of.unavailable, of.available],
      ]);
      for (const [at, accrual] of (item.accrual ?? []).entries()) {
        const rows = rowsOf(html, `accrual-${at}`);
        periods += rows.length;
        expect(rows.map(({ numbers }) => [numbers[1], numbers[3]])).to.deep.equal(
          accrual.periods.map(({ balance, amount }) => [balance, amount]),
        );
        const { corrects, amount } = accrual;
        const sums = corrects === null ? [[amount]] : [[corrects.billed], [amount]];
        const foot = rowsOf(html, `accrual-${at}`, 'tfoot');
        expect(foot.map(({ numbers }) => numbers)).to.deep.equal(sums);
      }
    }
    expect(periods).to.be.greaterThan(0);
  });

  it('are, on each facility’s page, the rates of its contracts with what they are made of', async () => {
    const { data } = await services.ask<List<BalanceItem>>(
      `/balances?${times}&level=contract&includeZero=true&expand=terms&limit=1000`,
    );
    const made = data.filter(({ terms }) => typeof terms?.rate?.base === 'string');
    expect(made).not.to.have.length(0);
    for (const { facility, contract, terms } of made.slice(0, 8)) {
      const { html } = await person.open(`/facilities/${facility?.id}?${times}`);
      const row = rowsOf(html, 'contracts').find(({ head }) =>
        head.startsWith(`${contract?.contractNumber} (`),
      );
      const { allIn, base, margin } = terms?.rate ?? {};
      const sum = `${percentOf(allIn ?? '')}% = ${terms?.rate?.index ?? ''} ${percentOf(base ?? '')}%`;
      expect(textOf(row?.html ?? '')).to.include(sum);
      if (margin != null) expect(row?.html).to.include(`${percentOf(margin.replace('-', ''))}%`);
    }
  });

  it('are, of a contract whose rate changed, its rates, as a picture and a table', async () => {
    const { data } = await services.ask<List<BalanceItem>>(
      `/balances?${times}&level=contract&includeZero=true&expand=rates&limit=100`,
    );
    const changed = data.filter(({ rates = [] }) => rates.length > 1);
    expect(changed).not.to.have.length(0);
    const [facility] = changed.map((one) => one.facility);
    const { html } = await person.open(`/facilities/${facility?.id}?${times}`);
    for (const { contract, rates = [] } of changed.filter(
      (one) => one.facility?.id === facility?.id,
    )) {
      const shown = rowsOf(html, `rates-${contract?.id}`).map(({ html: row }) => textOf(row));
      const told = rates.map(({ allIn }) => `${percentOf(allIn)}%`).reverse();
      expect(shown).to.have.length(told.length);
      for (const [at, row] of shown.entries()) expect(row).to.include(told[at]);
      expect(html).to.include(`Interest rate of contract ${contract?.contractNumber}: ${told[0]}`);
    }
  });

  it('are, in each roll-forward, opening, movements and closing, which add up', async () => {
    for (const id of dealIds()) {
      const { html } = await person.open(`/deals/${id}/roll-forward?${times}&fromDate=2024-01-01`);
      const { data } = await services.ask<List<RollForwardItem>>(
        `/balances/principal?${times}&level=deal&dealId=${id}&fromDate=2024-01-01&includeZero=true`,
      );
      for (const { currency, global } of data) {
        const column = rowsOf(html, `roll-forward-${currency}`).map(({ numbers }) => numbers[0]);
        const [closing] = rowsOf(html, `roll-forward-${currency}`, 'tfoot');
        expect(column[0]).to.equal(global.opening);
        expect(closing?.numbers[0]).to.equal(global.closing);
        expect(sumOf(column as string[])).to.equal(global.closing);
        const what = `Outstanding principal in ${currency}, from opening to closing`;
        const bars = valuesIn(html, what).map((value) => numberOf(value.replace(/.*: /, '')));
        const drawn = [...column, closing?.numbers[0] ?? ''].filter((one) => !isZero(one ?? '0'));
        expect(bars).to.deep.equal(drawn);
        const series = rowsOf(html, `series-${currency}`);
        expect(series[0]?.numbers[0]).to.equal(global.opening);
        expect(series.at(-1)?.numbers[1]).to.equal(global.closing);
        for (const [at, { numbers }] of series.entries()) {
          if (at > 0) expect(numbers[0]).to.equal(series[at - 1]?.numbers[1]);
        }
      }
    }
  });

  it('are, behind each movement of a roll-forward, the postings that it adds up', async () => {
    for (const id of dealIds()) {
      const { html } = await person.open(`/deals/${id}/roll-forward?${times}`);
      for (const [, currency = ''] of html.matchAll(/<caption id="roll-forward-(\w+)"/g)) {
        for (const { html: row, numbers } of rowsOf(html, `roll-forward-${currency}`).slice(1)) {
          const href = /href="([^"]*)"/.exec(row)?.[1]?.replaceAll('&amp;', '&') ?? '';
          const { html: postings } = await person.open(href);
          expect(linkNamed(postings, 'Next page'), href).to.equal(undefined);
          const own = rowsOf(postings, 'movements').filter(({ html }) =>
            html.includes(`<td>${currency}</td>`),
          );
          expect(sumOf(own.map(({ numbers: [amount = ''] }) => amount)), href).to.equal(numbers[0]);
        }
      }
    }
  });

  it('are, among the postings, each amount with its facility, and a balance that ends with the closing', async () => {
    const several = new Set<string>();
    for (const id of dealIds()) {
      const rows = [];
      let at: string | undefined =
        `/deals/${id}/movements?${times}&fromDate=2024-01-01&lenders=yes`;
      while (at !== undefined) {
        const { html } = await person.open(at);
        rows.push(...rowsOf(html, 'movements'));
        at = linkNamed(html, 'Next page');
      }
      const question = `${times}&dealId=${id}&fromDate=2024-01-01`;
      const { data } = await services.ask<List<Movement>>(
        `/balances/principal/movements?${question}&limit=1000`,
      );
      expect(rows.map(({ numbers }) => numbers[0])).to.deep.equal(data.map(({ amount }) => amount));
      const { data: deal } = await services.ask<Single<Deal>>(`/deals/${id}?${times}`);
      if (deal.facilities.length > 1) {
        const names = new Map(
          deal.facilities.map(({ facility }) => [facility?.id, facility?.name]),
        );
        for (const [n, { html }] of rows.entries()) {
          expect(textOf(html)).to.include(names.get(data[n]?.facilityId));
          several.add(id);
        }
      }
      const deals = await services.ask<List<RollForwardItem>>(
        `/balances/principal?${question}&level=deal&includeZero=true`,
      );
      for (const { currency, global } of deals.data) {
        const own = rows.filter((_, n) => data[n]?.currency === currency && !data[n]?.lender);
        expect(own.at(-1)?.numbers[1] ?? global.opening).to.equal(global.closing);
      }
    }
    expect(several, 'deals with several facilities').not.to.have.property('size', 0);
  });

  it('are, in the download, the same', async () => {
    const address = linkNamed(first.html, 'CSV') ?? '';
    const response = await person.send(address);
    expect(response.headers.get('content-disposition')).to.match(
      /^attachment; filename="cls-deals_asof-\d{4}-\d\d-\d\d_known-\d{8}T\d{6}Z\.csv"$/,
    );
    const [header = '', ...lines] = (await response.text()).trimEnd().split('\r\n');
    const column = header.split(',').indexOf('global.principal.outstanding');
    // Names with commas stand in quotes.
    const cells = (line: string) => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? [];
    expect(lines.map((line) => cells(line)[column]?.replace(/,$/, ''))).to.deep.equal(
      items.map(({ global }) => global.principal.outstanding),
    );
  });

  it('are, of each change, what the API and the files have at both times', async () => {
    const [borrower, lender] = [aParty('Borrower of changes'), aParty('Lender of changes')];
    const [loan, quiet, added] = [borrower, borrower, borrower].map((one) => aLoan(one, [lender]));
    if (loan === undefined || quiet === undefined || added === undefined) throw new Error('none');
    const advances = journals.filter(({ type }) => type === 'advance');
    const [first, last] = [advances[0], advances.at(-1)];
    if (first === undefined || last === undefined) throw new Error('no advances in the book');
    const again = (one: Journal, sign: string, more: Partial<Journal>) => {
      const postings = one.postings.map((leg) => {
        return { ...leg, amount: `${sign}${leg.amount}`.replace('--', '') };
      });
      const { deal, effectiveDate } = one;
      return aJournal(loan.deal, 'advance', effectiveDate, postings, { deal, ...more });
    };
    // A deal whose numbers stay, and one whose numbers were told before.
    const mistake = again(first, '', {});
    const takenBack = again(first, '-', { reverses: mistake.id });
    const restating = again(last, '', { reason: 'booked twice' });
    const drawn = (one: Loan, amount: string) => posting(one, '2025-01-15', both(amount));
    const both = (amount: string) => [undefined, lender].map((holder) => [holder, amount] as const);
    const committed = (one: Loan, amount: string) => {
      const postings = (['ORIGINAL_COMMITMENT', 'UNFUNDED'] as const).flatMap((account) =>
        entry({ facility: one.facility }, [account, 'MEMO'], both(amount)),
      );
      return aJournal(one.deal, 'original_commitment', '2025-01-02', postings);
    };
    await services.post([
      ...[borrower, lender, ...loan.all, ...quiet.all, committed(loan, '5000.00')],
      ...[drawn(loan, '1000.00'), drawn(quiet, '9.00')],
    ]);
    const known = async () => (await services.ask<Single<unknown>>('/me')).meta.knownAt ?? '';
    const since = await known();
    const component = 'interest' as const;
    const [settledThrough, dueDate] = [businessDate('2025-01-20'), businessDate('2025-01-21')];
    const of = { facility: loan.facility.id, contract: loan.contract.id };
    const interest = entry(loan, ['INTEREST_DUE', 'INTEREST_INCOME'], both('3.21'), { dueDate });
    await services.post([
      ...[mistake, takenBack, restating],
      ...[...added.all, drawn(loan, '-250.50'), drawn(added, '7.00'), committed(loan, '500.00')],
      aJournal(loan.deal, 'interest_billing', '2025-01-20', interest, {
        settlements: [{ ...of, component, settledThrough }],
      }),
    ]);
    const [asOf = ''] = times.split('&');
    const now = `${asOf}&knownAt=${await known()}`;
    const open = async (address: string) => (await person.open(address)).html;
    const before = compared.numbers;
    const book = { times: now, ask: services.ask, open };
    expect(await changesDiffer(book, since)).to.deep.equal([]);
    expect(compared.numbers - before).to.be.at.least(13);

    const rows = readTable(await open(`/changes?${now}&since=${since}`), 'changes')?.rows ?? [];
    const heads = [loan, added].map((one) => `${one.deal.dealNumber} ${one.deal.name}`);
    const [restated, ...others] = rows;
    const stays = others.pop();
    expect(restated?.cells['Marks']).to.include('restated');
    expect(restated?.cells['Why']).to.include('Advance: booked twice');
    const billed = await open(`/deals/${loan.deal.id}?asOf=2025-01-20&knownAt=${await known()}`);
    expect(billed).to.include('<dt>Next payment</dt><dd>21 Jan 2025</dd>');
    // The mark of the deal leads to what was reported of it before.
    const deal = await open(`/deals/${restating.deal}?${now}`);
    const address = linkNamed(deal, 'restated') ?? '';
    expect(address).to.include(`/deals/${restating.deal}?`).and.include('cmpKnownAt=');
    expect(textOf(await open(address))).to.include('compared with what was known on');
    expect(others.map(({ head }) => head)).to.have.members(heads);
    expect(others.map(({ cells }) => cells['Marks'])).to.have.members(['', 'new']);
    expect(stays?.cells['Why']).to.include('Advance; Advance (reversal)');
    expect(
      Object.values(stays?.compared ?? {})
        .flat()
        .join(),
    ).not.to.include('.00');
    const shown = rows.find(({ head }) => head === heads[0])?.compared ?? {};
    const fileAt = async (at: string) => {
      const file = await person.send(`/deals.csv?${asOf}&knownAt=${at}&q=${loan.deal.name}`);
      const [names = '', cells = ''] = (await file.text()).split('\r\n');
      return (name: string) => cells.split(',')[names.split(',').indexOf(name)] ?? '';
    };
    const [then, latest] = [await fileAt(since), await fileAt(now.replace(/.*knownAt=/, ''))];
    for (const [column, name] of [
      ['Outstanding principal', 'global.principal.outstanding'],
      ['Commitment', 'global.commitment.current'],
      ['Interest due', 'global.interest.due'],
      ['Total past due', 'global.total.pastDue'],
    ] as const) {
      const [is, was] = [latest(name), then(name)];
      expect(is, column).not.to.equal(was);
      expect(shown[column], column).to.deep.equal([is, was, difference(was, is)]);
    }
  });

  it('are, in the workbook of lenders’ shares, those of the positions of the API', async () => {
    const address = linkNamed(first.html, 'Lenders’ shares (Excel)') ?? '';
    const file = new Uint8Array(await (await person.send(address)).arrayBuffer());
    const sheet = strFromU8(unzipSync(file)['xl/worksheets/sheet1.xml'] as Uint8Array);
    const [, ...rows] = sheet.split('<row').slice(1);
    const question = `/balances?${times}&level=position&includeZero=true&limit=1000`;
    const { data } = await services.ask<List<BalanceItem>>(question);
    expect(rows).to.have.length(data.length);
    expect(textOf(sheet)).to.include('PIK interest accrued');
    for (const [at, { share }] of data.entries()) {
      expect(rows[at]).to.include(`<v>${share?.interest.pikAccrued}</v>`);
      expect(textOf(rows[at] ?? '')).to.include(share?.lender.name);
      expect(rows[at]).to.include(`<v>${share?.principal.outstanding}</v>`);
    }
  });

  it('are late since a day that is told with the days, of a deal and of a borrower', async () => {
    const asked = `/balances?${times}&level=deal&pastDue=true&limit=1000`;
    const late = (await services.ask<List<BalanceItem>>(asked)).data.filter(({ deal }) =>
      own.has(deal.id),
    );
    expect(late).not.to.have.length(0);
    const asOf = first.url.searchParams.get('asOf') ?? '';
    for (const { deal, borrower, status } of late.slice(0, 5)) {
      const days = status.daysPastDue ?? 0;
      const since = new Date(Date.parse(asOf) - days * 86_400_000);
      const { date, number } = textIn('en');
      const words = `${number(days)} days past due, since ${date(since.toISOString().slice(0, 10))}`;
      for (const address of [`/deals/${deal.id}`, `/borrowers/${borrower.id}`]) {
        expect((await person.open(`${address}?${times}`)).html, address).to.include(words);
      }
    }
  });
});
