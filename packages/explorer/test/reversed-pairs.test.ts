import { expect } from 'chai';
import type { Person } from './support/person.ts';
import { linkNamed, rowsOf } from './support/reading.ts';
import {
  aJournal,
  aLoan,
  aParty,
  entry,
  FULL,
  type Loan,
  posting,
  type Services,
  sharedServices,
} from './support/services.ts';

type Journal = ReturnType<typeof posting>;

describe('postings without reversed pairs', () => {
  let services: Services;
  let person: Person;
  let times: string;
  const borrower = aParty('Borrower of reversals');
  const [again, far] = [aLoan(borrower, []), aLoan(borrower, [])];
  before(async () => {
    services = await sharedServices();
    const drawn = (loan: Loan, amount: string) =>
      posting(loan, '2025-01-31', [[undefined, amount]]);
    const takenBack = ({ deal }: Loan, { id, type, effectiveDate, postings }: Journal) => {
      const opposite = postings.map((leg) => {
        return { ...leg, amount: `-${leg.amount}`.replace('--', '') };
      });
      return aJournal(deal, type, effectiveDate, opposite, { reverses: id });
    };
    const first = drawn(again, '300.00');
    const reversal = takenBack(again, first);
    const early = drawn(far, '500.00');
    const many = Array.from({ length: 100 }, () =>
      entry(far, ['PRINCIPAL_CASH', 'CASH_CLEARING'], [[undefined, '1.00']], {
        movement: 'advance',
      }),
    );
    await services.post([
      ...[borrower, ...again.all, ...far.all],
      ...[first, reversal, takenBack(again, reversal), drawn(again, '20.00')],
      ...[early, aJournal(far.deal, 'advance', '2025-01-31', many.flat()), takenBack(far, early)],
    ]);
    person = await services.person(FULL);
    const { url } = await person.signIn('/deals');
    times = url.search.slice(1);
  });

  /** The amounts of each page. */
  const amountsOf = async ({ deal }: Loan): Promise<readonly (readonly string[])[]> => {
    const pages: string[][] = [];
    let at: string | undefined = `/deals/${deal.id}/movements?${times}&reversed=no`;
    while (at !== undefined) {
      const { html } = await person.open(at);
      pages.push(rowsOf(html, 'movements').map(({ numbers: [amount = ''] }) => amount));
      at = linkNamed(html, 'Next page');
    }
    return pages;
  };

  it('have what a reversal took back and another one put back', async () => {
    expect(await amountsOf(again)).to.deep.equal([['300.00', '20.00']]);
    const { html } = await person.open(`/deals/${again.deal.id}/movements?${times}`);
    expect([...html.matchAll(/>reversed later</g)]).to.have.length(1);
  });

  it('add up where the halves of a pair are on two pages', async () => {
    const [first = [], second = []] = await amountsOf(far);
    expect([first[0], second.at(-1)]).to.deep.equal(['500.00', '-500.00']);
    expect([...first, ...second]).to.have.length(102);
  });
});
