import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import type { BalanceItem, Facet, List } from '../src/balances/shapes.ts';
import { roundedPercent } from '../src/web/amounts.ts';
import { countryName } from '../src/web/countries.ts';
import { textIn } from '../src/web/text.ts';
import { PASS } from './support/between.ts';
import type { Person } from './support/person.ts';
import { linkNamed, rowsOf, textOf } from './support/reading.ts';
import {
  aBook,
  aLoan,
  aParty,
  businessDate,
  FULL,
  type Party,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from './support/services.ts';
import { readTable } from './support/tables.ts';

const english = textIn('en');
const BORROWER = 'Zinc & Sons of the list';

describe('the list of deals', () => {
  let services: Services;
  let person: Person;
  let times: string;
  let lender: Party;
  let other: Party;
  let quiet: Party;
  let loan: ReturnType<typeof aLoan>;
  let partly: ReturnType<typeof aLoan>;
  before(async () => {
    services = await sharedServices();
    const borrower = aParty(BORROWER);
    [lender, other] = [aParty('Lender of the list'), aParty('Other lender of the list')];
    loan = aLoan(borrower, [lender, other], { maturityDate: businessDate('2031-05-01') });
    Object.assign(loan.contract, { maturityDate: '2029-05-01' });
    const [another, holder] = [aParty('Borrower of two'), aParty('Holder')];
    quiet = aParty('Holder of nothing drawn');
    // Its deal has not matured.
    const maturityDate = businessDate('2025-02-15');
    partly = aLoan(another, [holder, quiet], { status: 'matured', maturityDate });
    const abroad = aLoan(another, [holder]);
    Object.assign(abroad.deal, { country: 'IN' });
    const drawnPartly = posting(partly, '2025-01-31', [
      [undefined, '5.00'],
      [holder, '5.00'],
    ]);
    const drawn = posting(loan, '2025-01-31', [
      [undefined, '300.00'],
      [lender, '100.00'],
      [other, '200.00'],
    ]);
    await services.post([
      ...aBook({ contracts: 24, seed: 17 }).records,
      ...[borrower, lender, other, ...loan.all, drawn],
      ...[another, holder, quiet, ...partly.all, drawnPartly, ...abroad.all],
      // Nothing was drawn under it.
      ...aLoan(borrower, [lender]).all,
    ]);
    person = await services.person(FULL);
    const { url } = await person.signIn('/deals');
    times = url.search.slice(1);
  });
  const openList = (more: string) => person.open(`/deals?${times}&${more}`);
  const ask = (more: string) =>
    services.ask<List<BalanceItem>>(`/balances?${times}&level=deal&limit=250&${more}`);

  /** Opens a page; questions whose address has this get no item, and more are to come. */
  const openWhereMore = (address: string, asked: string) => {
    const page = { limit: 50, hasMore: true, nextCursor: 'later' };
    const meta = { asOf: '2025-01-31', knownAt: null, ledgerSeq: 1, dataFrom: null };
    services.between.fault = (response, path) => {
      if (!path.includes(asked)) return PASS;
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ object: 'list', data: [], page, meta }));
    };
    return person.open(address).finally(() => {
      services.between.fault = undefined;
    });
  };

  it('goes on where a page has no deal and more may come', async () => {
    const { html } = await openWhereMore(`/deals?${times}&restated=true`, 'include=totals');
    expect(html).not.to.include('No deal passes these filters');
    expect(linkNamed(html, 'Next page')).to.include('restated=true').and.include('cursor=later');
  });

  it('is narrowed to a country whose deals come later', async () => {
    const { url } = await openWhereMore(`/deals?${times}&q=Ukraine`, 'fields=deal.id&limit=1');
    expect(url.searchParams.get('country')).to.equal('UA');
  });

  it('is left by a borrower’s page for the first of its loans, however far they are', async () => {
    const { borrower } = loan.deal;
    const question = `/balances?${times}&level=facility&borrowerId=${borrower}&includeZero=true`;
    const found = JSON.stringify(await services.ask<List<BalanceItem>>(question));
    services.between.fault = (response, path) => {
      if (!path.includes('sort=-outstanding')) return PASS;
      const page = { limit: 100, hasMore: true, nextCursor: 'later' };
      const { meta } = JSON.parse(found) as List<BalanceItem>;
      const none = JSON.stringify({ object: 'list', data: [], page, meta });
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(path.includes('cursor=later') ? found : none);
    };
    const { html, response } = await person.open(`/borrowers/${borrower}?${times}`).finally(() => {
      services.between.fault = undefined;
    });
    expect(response.status).to.equal(200);
    expect(rowsOf(html, 'deals')).to.have.length(2);
  });

  it('leads to a borrower’s page with each country of its deals', async () => {
    const { html } = await person.open(`/borrowers/${partly.deal.borrower}?${times}`);
    const [, lead = ''] = /<p class="lead">([\s\S]*?)<\/p>/.exec(html) ?? [];
    expect(textOf(lead)).to.equal('Borrower · United States, India · Show the deals in the list');
  });

  it('leads to a borrower’s page, where what matures is soon due until it is past due', async () => {
    const figuresAt = async (asOf: string) => {
      const query = new URLSearchParams(times);
      query.set('asOf', asOf);
      const { html } = await person.open(`/borrowers/${partly.deal.borrower}?${query}`);
      return ['Matures in 30 days', 'Total past due'].map((label) => {
        const [, figure = ''] = new RegExp(`<dt>${label}</dt><dd>(.*?)</dd>`, 's').exec(html) ?? [];
        return textOf(figure.replace(/<small[\s\S]*/, ''));
      });
    };
    expect(await figuresAt('2025-02-14')).to.deep.equal(['5.00', '–0.00']);
    expect(await figuresAt('2025-02-15')).to.deep.equal(['5.00', '–0.00']);
    expect(await figuresAt('2025-02-16')).to.deep.equal(['–0.00', '5.00']);
  });

  it('leads to a deal’s page, which tells no lender days of what is not past due to it', async () => {
    const { id } = partly.deal;
    const deals = { dealId: id } as const;
    const daysTo = async (reader: Person) => {
      const { html } = await reader.signIn(`/deals/${id}?asOf=2025-02-20`);
      const [, figure = ''] = /<dt>Total past due<\/dt><dd>(.*?)<\/dd>/s.exec(html) ?? [];
      return /(\d+) days past due/.exec(textOf(figure))?.[1];
    };
    const agent = await services.person(VIEW, { role: 'agent', lenderId: undefined, deals });
    const own = await services.person(VIEW, { role: 'lender', lenderId: quiet.id, deals });
    expect([await daysTo(agent), await daysTo(own)]).to.deep.equal(['5', undefined]);
  });

  it('calls the share of a lender whose deals it lists that lender’s, and not the reader’s', async () => {
    const { html } = await openList(`lenderId=${lender.id}`);
    const [row] = readTable(html, 'deals')?.rows ?? [];
    expect(row?.cells).to.include({ 'Lender’s outstanding': '100.00' });
    expect(textOf(html)).not.to.include('Your outstanding');
    const address = `/deals.xlsx?${times}&lenderId=${lender.id}&amounts=text`;
    const book = new Uint8Array(await (await person.send(address)).arrayBuffer());
    const sheet = strFromU8(unzipSync(book)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    expect(sheet).to.include('Lender’s outstanding').and.not.include('Your outstanding');
  });

  it('has, in the file of lenders, the status of each facility', async () => {
    const address = `/positions.xlsx?${times}&status=matured&dealId=${partly.deal.id}`;
    const book = new Uint8Array(await (await person.send(address)).arrayBuffer());
    const sheet = strFromU8(unzipSync(book)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    expect(sheet).to.include('>Holder<').and.include('>matured<').and.not.include('>active<');
  });

  it('is searched as a whole, whatever it was narrowed to', async () => {
    const { html } = await openList('currency=USD&status=pending&column=rate&limit=10');
    const [form = ''] = /<form [^>]*role="search".*?<\/form>/s.exec(html) ?? [];
    const kept = [...form.matchAll(/type="hidden" name="(\w+)"/g)].map(([, name]) => name);
    expect(kept).to.include.members(['asOf', 'knownAt', 'column', 'limit']);
    expect(kept).not.to.include('currency').and.not.to.include('status');
  });

  it('says that it leaves balances of zero out, and leads to them', async () => {
    const { html } = await openList('');
    expect(textOf(html)).to.include('without balances of zero');
    const { url, html: all } = await person.open(
      linkNamed(html, 'Show deals with a balance of zero too') ?? '',
    );
    expect(url.searchParams.get('includeZero')).to.equal('true');
    expect(textOf(all)).not.to.include('without balances of zero');
  });

  it('is narrowed to a country by its name, in each language', async () => {
    for (const name of ['Germany', 'Deutschland', ' de ', 'DE']) {
      const { url } = await openList(`country=${encodeURIComponent(name)}`);
      expect(url.searchParams.get('country'), name).to.equal('DE');
    }
  });

  it('offers the statuses that deals have, and no others', async () => {
    const { html } = await openList('');
    const [, options = ''] = /<select name="status">([\s\S]*?)<\/select>/.exec(html) ?? [];
    const values = [...options.matchAll(/value="(\w+)"/g)].map(([, value]) => value);
    expect(values).to.deep.equal(['pending', 'active', 'matured', 'terminated']);
  });

  describe('with the choices of its filters', () => {
    it('does not count them for a reader who did not ask', async () => {
      services.between.asked.length = 0;
      const { html } = await openList('');
      expect(services.between.asked.join()).not.to.include('/facets');
      const { url } = await person.open(
        linkNamed(html, 'Show what the list can be narrowed to') ?? '',
      );
      expect(url.searchParams.get('choices')).to.equal('yes');
    });

    it('says how many deals each leaves, and leaves so many, with a chip to remove it', async () => {
      const { html } = await openList('choices=all');
      const { data } = await services.ask<List<Facet>>(
        `/facets?${times}&level=deal&fields=currency,country&top=1000`,
      );
      for (const { values } of data) {
        for (const { value, count } of values) {
          const name = countryName(value, 'en');
          const href = linkNamed(html, `${name} (${count})`);
          expect(href, value).to.be.a('string');
          const narrowed = await person.open(`${href}&limit=250`);
          expect(rowsOf(narrowed.html, 'deals'), value).to.have.length(count);
          const chip = /<ul class="chips"[\s\S]*?<\/ul>/.exec(narrowed.html)?.[0] ?? '';
          expect(textOf(chip)).to.include(name);
          const without = linkNamed(chip, 'Clear all') ?? '';
          expect(without).to.include('choices=all').and.not.include(`=${value}`);
        }
      }
    });

    it('names a borrower or a lender as chosen also where nothing is found', async () => {
      const { html } = await openList('choices=all');
      const chosen = await person.open(
        linkNamed(html, `${BORROWER}, ${countryName('US', 'en')} (1)`) ?? '',
      );
      expect(textOf(chosen.html)).to.include(`Borrower ${BORROWER}`);
      expect(rowsOf(chosen.html, 'deals')).to.have.length(1);
    });

    it('tells a lender of no other lender', async () => {
      const own = { role: 'lender', lenderId: lender.id, deals: { dealId: loan.deal.id } } as const;
      const reader = await services.person(VIEW, own);
      const { html } = await reader.signIn('/deals?choices=all');
      expect(html).not.to.include('Other lender').and.not.to.include(other.id);
    });

    it('asks the API three questions at the same time, and one about the loans of what it found', async () => {
      const { between } = services;
      between.asked.length = 0;
      between.most = 0;
      await openList('choices=yes');
      expect(between.asked).to.have.length(4);
      expect(between.most).to.equal(3);
    });
  });

  describe('with columns of the reader’s choice', () => {
    const COLUMNS = {
      outstanding: ['Outstanding principal', ({ principal }) => principal.outstanding],
      commitment: ['Commitment', ({ commitment }) => commitment.current],
      unfunded: ['Undrawn', ({ commitment }) => commitment.unfunded],
      available: ['Available', ({ commitment }) => commitment.available],
      letterOfCredit: ['Letters of credit', ({ commitment }) => commitment.letterOfCredit],
      pastDue: ['Total past due', ({ total }) => total.pastDue],
      interestAccrued: ['Interest accrued', ({ interest }) => interest.accrued],
      interestDue: ['Interest due', ({ interest }) => interest.due],
      feesAccrued: ['Fees accrued', ({ fees }) => fees.accrued],
      feesDue: ['Fees due', ({ fees }) => fees.due],
      totalOutstanding: ['Principal, interest and fees', ({ total }) => total.outstanding],
    } as const satisfies Record<string, readonly [string, (line: BalanceItem['global']) => string]>;
    const headsOf = (html: string) => {
      const head = /<caption id="deals">[\s\S]*?<thead><tr>([\s\S]*?)<\/tr>/.exec(html)?.[1] ?? '';
      return [...head.matchAll(/<th[^>]*>([\s\S]*?)<\/th>/g)].map(([, text = '']) =>
        textOf(text).replace(/ [▲▼]$/, ''),
      );
    };

    it('shows the usual ones without a choice', async () => {
      expect(headsOf((await openList('')).html)).to.deep.equal([
        ...['Deal', 'Borrower', 'Ccy', 'Outstanding principal', 'Commitment', 'Available'],
        ...['Total past due', 'Interest accrued', 'Maturity', 'Status'],
      ]);
    });

    it('shows each that was chosen, the strings of the API, and always the currency', async () => {
      const chosen = Object.keys(COLUMNS).map((name) => `column=${name}`);
      const { html } = await openList(`${chosen.join('&')}&limit=250`);
      const heads = Object.values(COLUMNS).map(([head]) => head);
      expect(headsOf(html)).to.deep.equal(['Deal', 'Ccy', ...heads]);
      const { data } = await ask('');
      expect(rowsOf(html, 'deals').map(({ numbers }) => numbers)).to.deep.equal(
        data.map(({ global }) => Object.values(COLUMNS).map(([, of]) => of(global))),
      );
    });

    it('shows the next maturity, and the rates of the loans where they are asked for', async () => {
      const { html } = await openList('column=maturity&column=rate&limit=250');
      const { data } = await services.ask<List<BalanceItem>>(
        `/balances?${times}&level=contract&expand=terms&limit=1000&include=none`,
      );
      const facilities = await services.ask<List<BalanceItem>>(
        `/balances?${times}&level=facility&limit=1000&include=none`,
      );
      const [asOf = ''] = /\d{4}-\d\d-\d\d/.exec(times) ?? [];
      const rows = readTable(html, 'deals')?.rows ?? [];
      const maturing = rows.filter(({ cells }) => cells['Maturity'] !== '');
      expect(maturing.length).to.be.greaterThan(0);
      for (const { head, cells } of maturing) {
        const isOwn = ({ deal, currency }: BalanceItem) =>
          head.startsWith(deal.dealNumber) && currency === cells['Ccy'];
        const own = data.filter(isOwn);
        const days = facilities.data
          .filter(isOwn)
          .flatMap((one) => one.facility?.maturityDate ?? []);
        const next = days.sort().find((day) => day >= asOf) ?? days.at(-1) ?? '';
        expect(cells['Maturity'], head).to.equal(english.date(next));
        const rates = own.flatMap(({ terms }) => terms?.rate?.allIn ?? []);
        if (rates.length === 1)
          expect(cells['Rate']).to.equal(roundedPercent(rates[0] ?? '', 'en'));
      }
    });

    it('has the same maturity of a deal with its rates and without', async () => {
      const [alone, beside] = await Promise.all(
        ['column=maturity', 'column=maturity&column=rate'].map(async (columns) => {
          const { html } = await openList(`${columns}&q=${encodeURIComponent(BORROWER)}`);
          return readTable(html, 'deals')?.rows.map(({ cells }) => cells['Maturity']);
        }),
      );
      expect(alone).to.deep.equal([english.date('2031-05-01')]);
      expect(beside).to.deep.equal(alone);
    });

    it('keeps them while the reader sorts, searches and turns pages', async () => {
      const { html } = await openList('column=unfunded&column=feesDue&limit=50');
      const kept = 'column=unfunded&column=feesDue';
      const sorted = await person.open(linkNamed(html, 'Undrawn') ?? '');
      expect(sorted.url.search).to.include(kept).and.include('sort=unfunded');
      expect(headsOf(sorted.html)).to.deep.equal(['Deal', 'Ccy', 'Undrawn', 'Fees due']);
      const { data } = await ask('sort=unfunded');
      expect(rowsOf(sorted.html, 'deals').map(({ numbers }) => numbers[0])).to.deep.equal(
        data.slice(0, 50).map(({ global }) => global.commitment.unfunded),
      );
      const search = /<form [^>]*role="search"[^>]*>([\s\S]*?)<\/form>/.exec(sorted.html)?.[1];
      expect(search).to.include('name="column" value="unfunded"').and.include('name="sort"');
      const usual = await person.open(linkNamed(sorted.html, 'The usual columns') ?? '');
      expect(headsOf(usual.html)).to.include('Borrower');
    });

    it('is sorted by every column that the API sorts by, both ways', async () => {
      const { html } = await openList('column=unfunded&column=posted&column=borrower');
      for (const [head, sort] of [
        ['Undrawn', 'unfunded'],
        ['Posted', 'lastPostedAt'],
        ['Borrower', 'borrower'],
      ] as const) {
        const up = await person.open(linkNamed(html, head) ?? '');
        expect(up.url.searchParams.get('sort')).to.equal(sort);
        expect(up.html).to.include('aria-sort="ascending"');
        const down = await person.open(
          linkNamed(up.html, `${head} ▼`) ?? linkNamed(up.html, `${head} ▲`) ?? '',
        );
        expect(down.url.searchParams.get('sort')).to.equal(`-${sort}`);
        expect(down.html).to.include('aria-sort="descending"');
      }
    });

    it('shows the usual ones where the address names none that there is', async () => {
      const { html } = await openList('column=__proto__&column=shoeSize');
      expect(headsOf(html)).to.include('Borrower');
    });
  });

  it('leads from a search to the pages and borrowers with the name, in either language', async () => {
    for (const [q, name, path] of [
      ['portfolio', 'Portfolio', /^\/portfolio\?/],
      ['änder', 'Changes', /^\/changes\?/],
      ['lenders', 'Lenders', /^\/lenders\?/],
      ['zinc sons', 'Zinc &amp; Sons of the list', /^\/borrowers\/pty_/],
    ] as const) {
      const { html } = await openList(`q=${encodeURIComponent(q)}`);
      const [, links = ''] =
        /<ul class="links" aria-label="Pages with this name:">(.*?)<\/ul>/s.exec(html) ?? [];
      const href = linkNamed(links, textOf(name)) ?? '';
      expect(href, q).to.match(path);
      expect((await person.open(href)).response.status, q).to.equal(200);
    }
    expect((await openList('q=gen')).html).not.to.include('Pages with this name');
  });

  it('has a title for bookmarks that says what it shows, and as of when', async () => {
    const { html } = await openList(`q=zinc&currency=USD&pastDue=true&restated=false`);
    const title = textOf(/<title>(.*)<\/title>/.exec(html)?.[1] ?? '');
    expect(title).to.match(
      /^Deals: Search zinc, Currency USD, past due · \d+ \w+ \d{4} · CLS Balances$/,
    );
    expect(html).to.include('<h1>Deals</h1>');
  });
});
