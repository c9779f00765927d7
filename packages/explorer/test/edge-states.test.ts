import { expect } from 'chai';
import { amountCell, amountText } from '../src/pages/cells.ts';
import { textIn } from '../src/web/text.ts';
import { problem } from './support/between.ts';
import type { Person } from './support/person.ts';
import { linkNamed, rowsOf, textOf } from './support/reading.ts';
import { aLoan, aParty, posting, type Services, sharedServices, VIEW } from './support/services.ts';

describe('states at the edge', () => {
  let services: Services;
  let person: Person;
  let known: string;
  let zero: ReturnType<typeof aLoan>;
  before(async () => {
    services = await sharedServices();
    const [borrower, lender] = [aParty('Borrower at the edge'), aParty('Lender at the edge')];
    const loan = aLoan(borrower, [lender]);
    zero = aLoan(borrower, []);
    const drawn = (amount: string) =>
      posting(loan, '2025-01-31', [
        [undefined, amount],
        [lender, amount],
      ]);
    await services.post([
      borrower,
      lender,
      ...loan.all,
      ...zero.all,
      drawn('7.00'),
      drawn('-9.00'),
    ]);
    const deals = { borrowerId: borrower.id } as const;
    person = await services.person(VIEW, { role: 'agent', lenderId: undefined, deals });
    known = (await person.signIn('/deals')).url.search;
  });
  afterEach(() => {
    services.between.fault = undefined;
  });

  it('say of how many deals a filter leaves none', async () => {
    const { html } = await person.open('/deals?country=XX');
    expect(textOf(html)).to.include('You may see 2 deals.');
  });

  it('show balances of zero when asked, as zero', async () => {
    const { html } = await person.open('/deals?q=nobodyhasthisname');
    const way = linkNamed(html, 'Show deals with a balance of zero too') ?? '';
    expect(way).to.include('includeZero=true').and.include('q=');
    const all = await person.open(`/deals${known}&includeZero=true`);
    const row = rowsOf(all.html, 'deals').find(({ head }) => head.includes(zero.deal.dealNumber));
    expect(row?.numbers[0]).to.equal('0.00');
  });

  it('are in the files of a deal as on its pages, also where all was repaid', async () => {
    const [borrower, lender] = [aParty('Borrower who repaid'), aParty('Lender who was repaid')];
    const repaid = aLoan(borrower, [lender]);
    const drawn = ['5.00', '-5.00'].map((amount) =>
      posting(repaid, '2025-01-31', [
        [undefined, amount],
        [lender, amount],
      ]),
    );
    await services.post([borrower, lender, ...repaid.all, ...drawn]);
    const deals = { borrowerId: borrower.id } as const;
    const agent = await services.person(VIEW, { role: 'agent', lenderId: undefined, deals });
    const deal = await agent.signIn(`/deals/${repaid.deal.id}`);
    expect(rowsOf(deal.html, 'facilities')).to.have.length(1);
    const roll = await agent.open(`/deals/${repaid.deal.id}/roll-forward`);
    expect(rowsOf(roll.html, 'roll-forward-USD')).not.to.have.length(0);
    for (const [{ html }, name] of [
      [deal, 'Facilities (CSV)'],
      [deal, 'Lenders’ positions (CSV)'],
      [roll, 'CSV'],
    ] as const) {
      const file = await agent.send(linkNamed(html, name) ?? '');
      const [, ...rows] = (await file.text()).trimEnd().split('\r\n');
      expect(rows, name).to.have.length(1);
      expect(rows[0], name).to.include(repaid.facility.id);
    }
  });

  it('mark what is negative by a word, a sign, and not by colour alone', async () => {
    const { html } = await person.open(`/deals${known}`);
    const [row] = rowsOf(html, 'deals');
    expect(row?.numbers[0]).to.equal('-2.00');
    expect(row?.html)
      .to.include('negative')
      .and.include('−2.00')
      .and.include('negative outstanding');
  });

  it('say that amounts were not added up, and never zero', () => {
    for (const [locale, words] of [
      ['en', 'not summed'],
      ['de', 'nicht summiert'],
    ] as const) {
      const shown = amountText(null, textIn(locale)).toString();
      expect(shown).to.include(words).and.not.match(/\d/);
    }
    const compared = (amount: string | null, before: string | null) =>
      textOf(amountCell(amount, textIn('en'), { before }).toString());
    expect(compared('5.00', null)).to.include('then not summed').and.not.include('Δ');
    expect(compared(null, '5.00')).to.include('then 5.00').and.not.include('Δ');
    expect(compared(null, null)).to.include('not summed').and.not.include('Δ');
  });

  for (const [code, status, shown, way, gone] of [
    ['version_brownout', 410, 503, 'Try again', 'nothing'],
    ['version_retired', 410, 503, 'Go to your deals', 'nothing'],
    ['fx_rate_missing', 422, 422, 'Show the amounts in their own currencies', 'reportingCurrency='],
  ] as const) {
    it(`have words and a way on where the API says ${code}`, async () => {
      services.between.fault = problem(status, code);
      const page = await person.open(`/deals${known}&cursor=abc&reportingCurrency=EUR`);
      expect(page.response.status).to.equal(shown);
      expect(linkNamed(page.html, way)).to.be.a('string').and.not.include(gone);
    });
  }

  it('tell a whole file from one that was cut: it ends with a summary', async () => {
    const { html } = await person.open(`/deals${known}`);
    expect(textOf(html)).to.include('A whole NDJSON file ends with a summary.');
    const file = await person.send(linkNamed(html, 'NDJSON') ?? '');
    const lines = (await file.text()).trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).to.include({ object: 'summary', count: 1 });
  });

  it('keep names apart that are long, run from right to left, or hold signs', async () => {
    const name = `${'Société Générale d’Exportation '.repeat(3)}شركة 🏦 <b>`;
    const party = aParty(name);
    const loan = aLoan(party, []);
    const drawn = posting(loan, '2025-01-31', [[undefined, '3.00']]);
    await services.post([party, ...loan.all, drawn]);
    const deals = { borrowerId: party.id } as const;
    const reader = await services.person(VIEW, { role: 'borrower', lenderId: undefined, deals });
    const { html } = await reader.signIn('/deals');
    expect(html).to.include('شركة 🏦 &lt;b&gt;').and.not.include('<b>');
  });
});
