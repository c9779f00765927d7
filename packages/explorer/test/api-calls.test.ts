import { expect } from 'chai';
import type { Person } from './support/person.ts';
import { rowsOf, textOf } from './support/reading.ts';
import {
  aLoan,
  aParty,
  FULL,
  type Loan,
  posting,
  type Services,
  sharedServices,
} from './support/services.ts';

const AMOUNT = /^-?\d+\.\d{2}$/;

describe('every page, as API calls in one place', () => {
  let services: Services;
  let person: Person;
  let loan: Loan;
  let times: string;
  let since: string;
  let parties: { borrower: string; lender: string };
  before(async () => {
    services = await sharedServices();
    const [borrower, lender] = [aParty("Quote's & Söhne"), aParty('Lender of calls')];
    parties = { borrower: borrower.id, lender: lender.id };
    loan = aLoan(borrower, [lender]);
    await services.ask('/me'); // Its grants are older than what changes.
    await services.post([borrower, lender, ...loan.all, draw('8123.45')]);
    person = await services.person(FULL);
    since = (await person.signIn('/deals')).url.searchParams.get('knownAt') ?? '';
    await services.post([draw('17.11')]);
    times = (await person.open('/deals')).url.search.slice(1);
    function draw(amount: string) {
      return posting(loan, '2025-01-31', [
        [undefined, amount],
        [lender, amount],
      ]);
    }
  });
  const PAGES = [
    '/portfolio',
    '/portfolio?by=country',
    "/deals?q=quote's&sort=-outstanding&column=totalOutstanding&column=unfunded",
    '/deals/{deal}?view=all',
    '/borrowers/{borrower}',
    '/lenders/{lender}',
    '/facilities/{facility}',
    '/deals/{deal}/roll-forward',
    '/deals/{deal}/roll-forward?by=facility',
    '/deals/{deal}/movements',
    '/changes?since={since}',
  ];
  /** Columns that the explorer works out from more than one answer. */
  const OWN: Readonly<Record<string, readonly number[]>> = { movements: [1], changes: [0, 2] };

  for (const path of PAGES) {
    it(`asks for the numbers of ${path}, with no token in it`, async () => {
      const [at = '', more = ''] = path
        .replace('{deal}', loan.deal.id)
        .replace('{facility}', loan.facility.id)
        .replace('{borrower}', parties.borrower)
        .replace('{lender}', parties.lender)
        .replace('{since}', encodeURIComponent(since))
        .split('?');
      const { html } = await person.open(`${at}?${times}&${more}`);
      const tables = html.split('<caption id="').slice(1);
      expect(tables).not.to.have.length(0);
      const [, calls = ''] = html.split('<details class="call">');
      expect(html.split('<details class="call">'), 'one place').to.have.length(2);
      const api = `${services.auth.issuer}/api/v1/cls`;
      const answers = [];
      for (const [, code = ''] of calls.matchAll(/<pre><code>([\s\S]*?)<\/code>/g)) {
        const [, url = ''] =
          /^curl --header "Authorization: Bearer \$CLS_TOKEN" \\\n {2}'([^']*)'$/.exec(
            textOf(code),
          ) ?? [];
        expect(url.startsWith(api), code).to.equal(true);
        answers.push(JSON.stringify(await services.ask(url.slice(api.length))));
      }
      const answer = answers.join();
      for (const table of tables) {
        const id = /^[^"]*/.exec(table)?.[0] ?? '';
        for (const { numbers } of rowsOf(html, id)) {
          for (const [column, number] of numbers.entries()) {
            if (!AMOUNT.test(number) || OWN[id]?.includes(column)) continue;
            expect(answer, `${id} ${column}`).to.include(`"${number}"`);
          }
        }
      }
      for (const [, operation] of calls.matchAll(/\/docs\/v1\/operations\/(\w+)"/g)) {
        const docs = await fetch(`${services.api.baseUrl}/docs/v1/operations/${operation}`);
        expect(docs.status, operation).to.equal(200);
      }
    });
  }
});
