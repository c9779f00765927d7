import { expect } from 'chai';
import type { Page, Person } from './support/person.ts';
import { linkNamed, rowsOf, textOf } from './support/reading.ts';
import {
  aLoan,
  aParty,
  FULL,
  type Loan,
  posting,
  type Services,
  sharedServices,
} from './support/services.ts';

describe('a form with a mistake', () => {
  let services: Services;
  let person: Person;
  let loan: Loan;
  let times: string;
  before(async () => {
    services = await sharedServices();
    const [borrower, lender] = [aParty('Borrower of the forms'), aParty('Lender of the forms')];
    loan = aLoan(borrower, [lender]);
    const drawn = posting(loan, '2025-01-31', [
      [undefined, '1234.50'],
      [lender, '1234.50'],
    ]);
    await services.post([borrower, lender, ...loan.all, drawn]);
    person = await services.person(FULL);
    times = (await person.signIn('/deals')).url.search.slice(1);
  });

  /** What stands in a field, and the sentence beside it. */
  const fieldIn = ({ html }: Page, name: string) => {
    const input =
      new RegExp(`<input (?!type="hidden")[^>]*name="${name}"[^>]*>`).exec(html)?.[0] ?? '';
    const id = /aria-describedby="([^"]*)"/.exec(input)?.[1] ?? '';
    const sentence = new RegExp(`id="${id}">([^<]*)<`).exec(html)?.[1] ?? '';
    return {
      value: /value="([^"]*)"/.exec(input)?.[1],
      isInvalid: input.includes('aria-invalid="true"'),
      hasFocus: input.includes(' autofocus'),
      sentence: textOf(id === '' ? '' : sentence),
    };
  };

  for (const [language, good, bad, sentence] of [
    ['en', '1,234.50', '1.234,50', 'such as 1,234.56'],
    ['de', '1.234,50', '1,234.50', 'wie 1.234,56'],
  ] as const) {
    it(`comes back as it was filled, with the sentence beside the field, in ${language}`, async () => {
      const headers = { 'accept-language': language };
      const ask = (least: string) =>
        person.open(`/deals?${times}&currency=USD&least=${encodeURIComponent(least)}&most=`, {
          headers,
        });
      const refused = await ask(bad);
      expect(refused.response.status).to.equal(400);
      const field = fieldIn(refused, 'least');
      expect(field).to.include({ value: bad, isInvalid: true, hasFocus: true });
      expect(field.sentence).to.include(sentence);
      expect(fieldIn(refused, 'currency')).to.include({ value: 'USD', isInvalid: false });
      expect(refused.html).to.include('<details class="menu" open>');
      expect(textOf(refused.html)).not.to.include('minOutstanding');
      const again = await person.open(refused.url.href, { headers });
      expect(fieldIn(again, 'least').value, 'loaded again').to.equal(bad);
      const found = await ask(good);
      expect(found.response.status).to.equal(200);
      expect(found.url.searchParams.get('minOutstanding')).to.equal('1234.50');
      expect(found.url.search).not.to.include('least').and.not.to.include('most');
      expect(fieldIn(found, 'least').value).to.equal(good);
    });
  }

  for (const [what, address, field, value, sentence] of [
    ['no currency', 'least=5', 'least', '5', 'needs its currency'],
    ['an order that cannot be', 'currency=USD&least=6&most=5', 'least', '6', 'must not be greater'],
    ['a country that is none', 'country=Atlantis', 'country', 'ATLANTIS', 'Expected a country'],
    ['a currency that is none', 'currency=dollars', 'currency', 'DOLLARS', 'code of a currency'],
    [
      'an amount beyond any',
      'currency=USD&least=99999999999999999999',
      'least',
      '99,999,999,999,999,999,999',
      'Expected an amount',
    ],
    ['a search for one letter', 'q=a', 'q', 'a', 'at least two letters'],
    [
      'a date to compare with that is none',
      'cmpAsOf=yesterday',
      'cmpAsOf',
      'yesterday',
      'Expected a date',
    ],
    [
      'a day that the month does not have',
      'cmpKnownDay=2025-02-30&cmpKnownTime=10:00',
      'cmpKnownDay',
      '2025-02-30',
      'a day and a time',
    ],
  ] as const) {
    it(`says what is expected: ${what}`, async () => {
      const page = await person.open(`/deals?${times}&${address}`);
      expect(page.response.status).to.equal(400);
      const shown = fieldIn(page, field);
      expect(shown).to.include({ value, isInvalid: true });
      expect(shown.sentence).to.include(sentence);
      expect(page.html).to.include(person.email);
    });
  }

  it('of a deal’s pages comes back too', async () => {
    const base = `/deals/${loan.deal.id}`;
    for (const [address, field] of [
      [`${base}?${times}&cmpAsOf=2150-01-01`, 'cmpAsOf'],
      [`${base}/roll-forward?${times}&fromDate=2150-01-01`, 'fromDate'],
      [`${base}/movements?${times}&fromDate=soon`, 'fromDate'],
      [`/changes?${times}&sinceDay=2150-01-01&sinceTime=`, 'sinceDay'],
    ] as const) {
      const page = await person.open(address);
      expect(page.response.status, address).to.equal(400);
      expect(fieldIn(page, field).isInvalid, address).to.equal(true);
      expect(page.html).not.to.include('cannot be read');
    }
  });

  for (const [what, address, field, value, sentence] of [
    ['a date that is none', 'asOf=yesterday', 'asOf', 'yesterday', 'Expected a date'],
    ['a day that no month has', 'asOf=2025-02-30', 'asOf', '2025-02-30', 'Expected a date'],
    ['a date after today', 'asOf=2150-01-01', 'asOf', '2150-01-01', 'in the future'],
    ['a date before the book', 'asOf=1900-01-01', 'asOf', '1900-01-01', 'The book begins on'],
    ['a time of knowledge that is none', 'knownAt=soon', 'knownDay', '', 'a day and a time'],
    [
      'a time of knowledge after now',
      'knownAt=2150-01-01T00:00:00Z',
      'knownDay',
      '2150-01-01',
      'in the future',
    ],
    [
      'a time of knowledge before the book',
      'knownAt=1990-01-01T00:00:00Z',
      'knownDay',
      '1990-01-01',
      'Nothing was known',
    ],
    [
      'a date and a time, neither of which can be',
      'asOf=1900-01-01&knownAt=1990-01-01T00:00:00Z',
      'asOf',
      '1900-01-01',
      'The book begins on',
    ],
  ] as const) {
    it(`of the times leaves the page at the usual times: ${what}`, async () => {
      const deal = `/deals/${loan.deal.id}`;
      const pages = ['/deals', '/portfolio', '/changes', deal, `/facilities/${loan.facility.id}`];
      for (const path of [...pages, `${deal}/roll-forward`, `${deal}/movements`]) {
        for (const more of ['', '&cmpKnownAt=2150-01-01T00:00:00Z']) {
          const page = await person.open(`${path}?${address}${more}`);
          expect(page.response.status, path).to.equal(400);
          const shown = fieldIn(page, field);
          expect(shown, path).to.include({ value, isInvalid: true });
          expect(shown.sentence, path).to.include(sentence);
          expect(page.html, path).to.include(person.email);
          expect(textOf(page.html), path).to.include('Data go through');
          if (more !== '') continue;
          const deals = await person.open(linkNamed(page.html, 'Deals') ?? 'nowhere');
          expect(deals.response.status, path).to.equal(200);
        }
      }
    });
  }

  it('of the times comes back beside a mistake of another field', async () => {
    const page = await person.open(`/deals?asOf=2025-02-30&country=Atlantis`);
    expect(fieldIn(page, 'asOf')).to.include({ value: '2025-02-30', isInvalid: true });
    expect(fieldIn(page, 'country')).to.include({ value: 'ATLANTIS', isInvalid: true });
  });

  it('takes a currency in small letters', async () => {
    const page = await person.open(`/deals?${times}&currency=usd`);
    expect(page.response.status).to.equal(200);
    expect(page.url.searchParams.get('currency')).to.equal('USD');
  });

  it('leaves a file unsent', async () => {
    const { response } = await person.open(`/deals.csv?${times}&country=Atlantis`);
    expect(response.status).to.equal(400);
    expect(response.headers.get('content-type')).to.include('text/html');
  });

  it('takes a time of knowledge as a day and a time, and keeps the exact one that it shows', async () => {
    const page = await person.open(`/deals?${times}`);
    const exact = page.url.searchParams.get('knownAt') ?? '';
    const [day, time] = [fieldIn(page, 'knownDay').value, fieldIn(page, 'knownTime').value];
    expect(`${day}T${time}`).to.equal(exact.slice(0, 19));
    const sent = new URLSearchParams({ asOf: '2025-01-31', knownAt: exact });
    const same = await person.open(`/deals?${sent}&knownDay=${day}&knownTime=${time}`);
    expect(same.url.searchParams.get('knownAt')).to.equal(exact);
    const newest = await person.open(`/deals?${sent}&knownDay=&knownTime=`);
    expect(newest.response.status).to.equal(200);
    expect((newest.url.searchParams.get('knownAt') ?? '') >= exact).to.equal(true);
    const earlier = await person.open(`/deals?${sent}&knownDay=2001-01-01&knownTime=00:00`);
    expect(earlier.url.searchParams.get('knownAt')).to.equal('2001-01-01T00:00:00Z');
    expect(fieldIn(earlier, 'knownDay')).to.include({ value: '2001-01-01', isInvalid: true });
    expect(rowsOf(same.html, 'deals').length).to.be.greaterThan(0);
  });
});
