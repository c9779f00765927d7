import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Meta } from '../src/balances/shapes.ts';
import { readAssets } from '../src/web/assets.ts';
import type { Person } from './support/person.ts';
import { rowsOf } from './support/reading.ts';
import {
  aJournal,
  aLoan,
  aParty,
  businessDate,
  entry,
  FULL,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from './support/services.ts';
import { tooHeavy } from './support/weight.ts';

const KB = 1_000;
const COMPARED = [[], ['cmpAsOf'], ['cmpKnownAt'], ['cmpAsOf', 'cmpKnownAt']] as const;

describe('the weight of pages', () => {
  let services: Services;
  before(async () => {
    services = await sharedServices();
  });

  describe('of a list is at most 60 kB, and 15 kB compressed', () => {
    let people: Readonly<Record<'agent' | 'lender', Person>>;
    let times: { cmpAsOf: string; cmpKnownAt: string };
    before(async () => {
      const [borrower, lender] = [
        aParty('Ministry of Finance and Economic Affairs'),
        aParty('International Bank of the South'),
      ];
      const loans = Array.from({ length: 51 }, (_, at) => {
        const loan = aLoan(borrower, [lender]);
        const dealNumber = `LN-2024-${`${at}`.padStart(5, '0')}`;
        Object.assign(loan.deal, { dealNumber, name: 'Urban Roads and Transport Programme' });
        return loan;
      });
      const drawn = (on: string, least: number) =>
        loans.map((loan, at) => {
          const amount = `${least + at * 98_765}.${10 + (at % 90)}`;
          const holders = [undefined, lender] as const;
          const [draw, used] = [amount, `-${amount}`].map((leg) =>
            holders.map((holder) => [holder, leg] as const),
          );
          return aJournal(loan.deal, 'advance', on, [
            ...entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], draw ?? [], {
              movement: 'advance',
            }),
            ...entry({ facility: loan.facility }, ['UNFUNDED', 'MEMO'], used ?? []),
          ]);
        });
      const committed = loans.map(({ deal, facility }) => {
        const holders = [undefined, lender].map((holder) => [holder, '2345678901.00'] as const);
        const postings = (['ORIGINAL_COMMITMENT', 'UNFUNDED'] as const).flatMap((account) =>
          entry({ facility }, [account, 'MEMO'], holders),
        );
        return aJournal(deal, 'original_commitment', '2024-01-02', postings);
      });
      const rates = loans.map(({ deal, facility, contract }) => {
        const of = { facility: facility.id, contract: contract.id };
        const startDate = businessDate('2024-01-02');
        const rate = { ...of, component: 'interest', startDate, allInRate: '0.05' } as const;
        return aJournal(deal, 'rate_set', '2024-01-02', [], { rates: [rate] });
      });
      const all = [borrower, lender, ...loans.flatMap((loan) => loan.all)];
      await services.post([...all, ...committed, ...rates, ...drawn('2024-06-30', 1_234_567_890)]);
      const { meta } = await services.ask<{ meta: Meta }>('/me');
      times = { cmpAsOf: '2024-12-31', cmpKnownAt: meta.knownAt ?? '' };
      await services.post(drawn('2025-01-31', 54_321_098));
      const deals = { borrowerId: borrower.id } as const;
      const grants = { role: 'agent', lenderId: undefined, deals } as const;
      people = {
        agent: await services.person(VIEW, grants),
        lender: await services.person(VIEW, { ...grants, role: 'lender', lenderId: lender.id }),
      };
      for (const person of Object.values(people)) await person.signIn();
    });

    for (const who of ['agent', 'lender'] as const) {
      for (const language of ['en', 'de']) {
        for (const compared of COMPARED) {
          const how = compared.length === 0 ? 'alone' : `compared by ${compared.join(' and ')}`;
          it(`as the ${who}, ${how}, in ${language}`, async () => {
            const then = compared.map((name): [string, string] => [name, times[name]]);
            const { html } = await people[who].open(`/deals?${new URLSearchParams(then)}`, {
              headers: { 'accept-language': language },
            });
            const rows = rowsOf(html, 'deals');
            expect(rows).to.have.length(compared.length === 0 ? 50 : 40);
            expect(tooHeavy(html)).to.equal(undefined);
          });
        }
      }
    }
  });

  it('comes with one style sheet of at most 16 kB, one picture, and one script of at most 15 kB, 4 kB compressed', async () => {
    const borrower = aParty('Borrower of a styled list');
    const loan = aLoan(borrower, []);
    const drawn = posting(loan, '2025-01-31', [[undefined, '5.00']]);
    await services.post([borrower, ...loan.all, drawn]);
    const person = await services.person(FULL);
    const { html, response } = await person.signIn();
    const style = await fetch(new URL(readAssets().paths['explorer.css'], services.url));
    expect((await style.arrayBuffer()).byteLength).to.be.at.most(16 * KB);
    expect(style.headers.get('cache-control')).to.include('immutable');
    const script = await fetch(new URL(readAssets().paths['explorer.js'], services.url));
    const source = Buffer.from(await script.arrayBuffer());
    expect(source.length).to.be.at.most(15 * KB);
    expect(gzipSync(source).length).to.be.at.most(4 * KB);
    const loaded = [...html.matchAll(/(?:src|<link [^>]*href)="([^"]*)"/g)].map(([, href]) => href);
    expect(loaded).to.have.length(3);
    // Nothing else stands in the page itself than the names of a list's columns.
    expect(html.replace(/<script type="module" src="[^"]*"><\/script>/, ''))
      .not.to.include('<script')
      .and.not.include('style=');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).to.include("script-src 'self';").and.include("default-src 'none'");
    const styles = [...html.matchAll(/<style>([^<]*)<\/style>/g)].map(([, rules = '']) => rules);
    const digests = styles.map((rules) => createHash('sha256').update(rules).digest('base64'));
    const allowed = ["'self'", ...digests.map((digest) => `'sha256-${digest}'`)].join(' ');
    expect(styles).to.have.length(1);
    expect(styles[0]).to.match(/^(#deals~\* td:nth-child\(\d+\)\{--label:"[^"]+"\})+$/);
    expect(policy).to.include(`style-src ${allowed};`);
    const card = await person.open('/deals?cursor=none');
    expect(card.response.headers.get('content-security-policy')).to.include("style-src 'self';");
  });
});
