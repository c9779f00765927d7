/** How much of a file is in memory while it is read. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import {
  BATCH_DEALS,
  checkStatement,
  ROWS_HELD,
  statedDeals,
} from '../../src/import/check-statement.ts';
import { EMPTY_BOOK } from '../../src/import/empty-book.ts';
import type { StatementSource } from '../../src/import/file/table.ts';
import { importStatement } from '../../src/import/import-statement.ts';
import { LookAlikes } from '../../src/import/look-alikes.ts';
import { profileSchema } from '../../src/import/profile/profile.ts';
import { SanityChecks } from '../../src/import/sanity.ts';
import { Report } from '../../src/import/statement/report.ts';
import { date, textSource } from '../support/book.ts';
import { SYNDICATE, syndicateText } from '../support/lenders-statement.ts';

/** In more than one batch. */
const DEALS = BATCH_DEALS + 500;
const PROFILE = profileSchema.parse(SYNDICATE);
const rowsOf = (lender: string, deals: number) =>
  Array.from({ length: deals }, (_, at) => `L${at};Acme;${lender};EUR;${at + 1}.00`);
function inOrder(deals: number): string {
  const [alpha, beta] = [rowsOf('Alpha Bank', deals), rowsOf('Beta Bank', deals)];
  return syndicateText(...alpha.flatMap((row, at) => [row, beta[at] ?? '']));
}
const IN_ORDER = inOrder(DEALS);
const SCATTERED = syndicateText(...rowsOf('Alpha Bank', DEALS), ...rowsOf('Beta Bank', DEALS));

function requestOf(source: StatementSource) {
  return {
    ...{ source, profile: PROFILE, apply: false, expected: { sums: {} } },
    ...{ asOf: date('2025-03-31'), today: date('2025-12-31'), withoutTotals: 'a test' },
  };
}

/** The part of a file that was read when its first deals were there. */
async function readForFirst(text: string): Promise<number> {
  const whole = textSource(text);
  const request = requestOf(whole);
  const sanity = new SanityChecks(PROFILE, request.today);
  const statement = await checkStatement(request, new Report(), sanity);
  let bytes = 0;
  const counted: StatementSource = {
    ...whole,
    async *bytes(...range) {
      for await (const chunk of whole.bytes(...range)) {
        bytes += chunk.length;
        yield chunk;
      }
    },
  };
  for await (const _ of statedDeals(counted, PROFILE, statement)) return bytes / whole.size;
  throw new Error('no deals');
}

describe('rows of a statement whose deals have several', () => {
  it('are given up deal by deal where those of each deal follow each other', async () => {
    expect(await readForFirst(inOrder(BATCH_DEALS * 5))).to.be.lessThan(0.4);
    expect(await readForFirst(SCATTERED)).to.be.at.least(1);
  });

  it('are held in part where they stand apart, and make every deal once', async () => {
    const request = requestOf(textSource(SCATTERED));
    const sanity = new SanityChecks(PROFILE, request.today);
    const statement = await checkStatement(request, new Report(), sanity);
    expect([statement.isInOrder, statement.rowCount]).to.deep.equal([false, 2 * DEALS]);
    // As if the file had more rows than are held at once.
    const large = { ...statement, rowCount: ROWS_HELD * 4 };
    const made: string[] = [];
    for await (const deals of statedDeals(request.source, PROFILE, large)) {
      for (const { number, facilities } of deals) {
        expect(facilities[0]?.holders, number).to.have.length(2);
        made.push(number);
      }
    }
    expect(new Set(made).size).to.equal(DEALS);
    expect(made).to.have.length(DEALS);
  });

  it('make the same deals in any order', async () => {
    const [ordered, scattered] = await Promise.all(
      [IN_ORDER, SCATTERED].map((text) => importStatement(EMPTY_BOOK, requestOf(textSource(text)))),
    );
    expect(ordered).to.deep.include({ outcome: 'valid', rows: 2 * DEALS, newLoans: DEALS });
    const { journals, postings, outstanding, controlTotals } = ordered ?? {};
    expect(scattered).to.deep.include({
      ...{ outcome: 'valid', rows: 2 * DEALS, newLoans: DEALS },
      ...{ journals, postings, outstanding, controlTotals },
    });
  });

  it('are refused in any order where a lender has two of a loan', async () => {
    const twice = 'L7;Acme;Beta Bank;EUR;1.00';
    for (const text of [`${SCATTERED}${twice}\n`, IN_ORDER.replace('L8;', `${twice}\nL8;`)]) {
      const { outcome, faultKinds } = await importStatement(
        EMPTY_BOOK,
        requestOf(textSource(text)),
      );
      expect(outcome).to.equal('refused');
      expect(faultKinds.map(({ code, count }) => [code, count])).to.deep.equal([
        ['duplicate_loan', 1],
      ]);
    }
  });
});

describe('texts of a statement that are remembered', () => {
  it('do not hold the text of the file that they are cut from', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const names = new LookAlikes();
    const report = new Report();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < 2_000; at += 1) {
      const text = `Borrower number ${at} of a long name;${'x'.repeat(16_384)}`;
      const [name = ''] = text.split(';');
      names.add({ ref: `party:DE:${at}`, name, countryCode: 'DE' }, at);
      report.warn(at, 'Borrower', 'a_code', 'a message', name);
    }
    collect();
    expect((process.memoryUsage().heapUsed - before) / 1e6).to.be.lessThan(8);
    expect(report.warnings).to.have.length(2_000);
  });
});
