import { expect } from 'chai';
import type { BalanceItem, List, Total } from '../src/balances/shapes.ts';
import { percentOf, roundedPercent } from '../src/web/amounts.ts';
import { textIn } from '../src/web/text.ts';
import type { Page, Person } from './support/person.ts';
import { linkNamed, rowsOf, textOf } from './support/reading.ts';
import { FULL, importWorldBank, type Services, startServices } from './support/services.ts';
import { readTable } from './support/tables.ts';
import {
  type Book,
  dealDiffers,
  facilityDiffers,
  listDiffers,
  portfolioDiffers,
  postingsDiffer,
  rollForwardDiffers,
  totalsDiffer,
} from './support/walk.ts';

const english = textIn('en');
const DEALS = 9_289;
/** Of the deals, one in so many: `node scripts/explorer-walk.mjs` looks at all of them. */
const EACH = 500;

describe('the World Bank’s book, on pages', () => {
  let services: Services;
  let person: Person;
  let first: Page;
  let book: Book;
  let items: BalanceItem[];
  before(async () => {
    services = await startServices();
    await importWorldBank(services.api.database);
    person = await services.person(FULL);
    first = await person.signIn('/deals?includeZero=true&limit=250');
    const { searchParams } = first.url;
    const times = `asOf=${searchParams.get('asOf')}&knownAt=${searchParams.get('knownAt')}`;
    book = {
      times,
      ask: services.ask,
      open: async (address) => {
        const { html, response } = await person.open(address);
        expect(response.status, address).to.equal(200);
        return html;
      },
    };
    items = [];
    let cursor: string | null | undefined = '';
    while (typeof cursor === 'string') {
      const more: List<BalanceItem> = await book.ask(
        `/balances?${times}&level=deal&includeZero=true&include=none&limit=1000${cursor}`,
      );
      items.push(...more.data);
      cursor = more.page.nextCursor && `&cursor=${more.page.nextCursor}`;
    }
  });
  after(() => services?.stop());

  it('shows all 9,289 deals in their order, each amount the API’s', async () => {
    expect(items).to.have.length(DEALS);
    let { html } = first;
    for (let at = 0; at < items.length; at += 250) {
      expect(listDiffers(html, items.slice(at, at + 250))).to.deep.equal([]);
      const next = linkNamed(html, 'Next page');
      if (next === undefined) expect(at + 250).to.be.at.least(DEALS);
      else html = await book.open(next);
    }
    const { totals = [] } = await book.ask<List<Total>>(
      `/balances?${book.times}&level=deal&includeZero=true&include=totals&limit=1`,
    );
    expect(totalsDiffer(first.html, 'totals', totals as never)).to.deep.equal([]);
  });

  it('shows on a page of 250 deals the maturity of each', async () => {
    const { data } = await book.ask<List<BalanceItem>>(
      `/balances?${book.times}&level=facility&includeZero=true&include=none&limit=1000`,
    );
    const rows = readTable(first.html, 'deals')?.rows ?? [];
    expect(rows).to.have.length(250);
    expect(rows.map(({ cells }) => cells['Maturity'])).to.deep.equal(
      data.slice(0, 250).map(({ facility }) => {
        const day = facility?.maturityDate;
        return day == null ? '' : english.date(day);
      }),
    );
  });

  it('says the exchange adjustment and the obligation of a matured loan that owes nothing', async () => {
    const item = items.find(({ deal }) => deal.dealNumber === 'IBRD77560');
    expect(item?.global.principal).to.include({ obligation: '0.00', outstanding: '136665000.00' });
    const html = await book.open(`/deals/${item?.deal.id}?${book.times}`);
    expect(textOf(html)).to.include(
      'past maturity and not repaid: exchange adjustment −136.67m, obligation 0.00',
    );
    const rows = rowsOf(html, 'amounts-USD').map(({ head, numbers }) => `${head} ${numbers}`);
    expect(rows.join('\n'))
      .to.match(/^Exchange adjustment .* -136665000\.00$/m)
      .and.match(/^Obligation .* 0\.00$/m);
    expect(await dealDiffers(book, item?.deal.id ?? '')).to.deep.equal([]);
  });

  it('shows the rate that a statement gave, in the list and on the facility’s page, and no 0', async () => {
    const { data } = await book.ask<List<BalanceItem>>(
      `/balances?${book.times}&level=contract&expand=terms&limit=1000&include=none`,
    );
    const loan = data.find(({ terms }) => Number(terms?.allInRate ?? 0) > 0);
    const stated = loan?.terms?.allInRate ?? '';
    const facility = await book.open(`/facilities/${loan?.facility?.id}?${book.times}`);
    expect(textOf(rowsOf(facility, 'contracts')[0]?.html ?? '')).to.include(
      `${percentOf(stated)}%`,
    );
    const several = data.find(({ terms }) => Number(terms?.allInRate) === 0);
    const other = await book.open(`/facilities/${several?.facility?.id}?${book.times}`);
    expect(textOf(rowsOf(other, 'contracts')[0]?.html ?? '')).not.to.include('%');
    const list = await book.open(`/deals?${book.times}&q=${loan?.deal.dealNumber}&column=rate`);
    const [deal] = readTable(list, 'deals')?.rows ?? [];
    expect(deal?.cells['Rate']).to.equal(roundedPercent(stated, 'en'));
  });

  it('comes to the API’s totals in breakdowns', async () => {
    for (const by of ['country', 'facilityType']) {
      expect(await portfolioDiffers(book, by)).to.deep.equal([]);
    }
  });

  it('is in the file what it is on the pages', async () => {
    const response = await person.send(linkNamed(first.html, 'CSV') ?? '');
    const [header = '', ...lines] = (await response.text()).trimEnd().split('\r\n');
    const columns = header.split(',');
    const cells = (line: string) =>
      [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
      );
    const of = (line: string, name: string) => cells(line)[columns.indexOf(name)];
    const names = ['deal.dealNumber', 'global.principal.outstanding', 'global.commitment.current'];
    expect(lines.map((line) => names.map((name) => of(line, name)))).to.deep.equal(
      items.map(({ deal, global }) => [
        deal.dealNumber,
        global.principal.outstanding,
        global.commitment.current,
      ]),
    );
  });

  it('shows each amount of deals, facilities, roll-forwards and postings as the API does', async () => {
    for (const { deal } of items.filter((_, at) => at % EACH === 0)) {
      const { data } = await book.ask<List<BalanceItem>>(
        `/balances?${book.times}&level=facility&dealId=${deal.id}&includeZero=true&expand=accrual`,
      );
      const differences = [
        await dealDiffers(book, deal.id),
        ...(await Promise.all(data.map((facility) => facilityDiffers(book, facility)))),
        await rollForwardDiffers(book, deal.id),
        await postingsDiffer(book, deal.id),
      ];
      expect(differences.flat(), deal.dealNumber).to.deep.equal([]);
    }
  });
});
