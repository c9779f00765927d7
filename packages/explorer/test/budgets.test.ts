import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readAssets } from '../src/web/assets.ts';
import { rowsOf } from './support/reading.ts';
import { aLoan, aParty, posting, type Services, sharedServices, VIEW } from './support/services.ts';

const KB = 1_000;

describe('the weight of pages', () => {
  let services: Services;
  before(async () => {
    services = await sharedServices();
  });

  it('of 100 deals is at most 60 kB, and 12 kB compressed', async () => {
    const [borrower, lender] = [
      aParty('Ministry of Finance and Economic Affairs'),
      aParty('International Bank of the South'),
    ];
    const loans = Array.from({ length: 100 }, () => aLoan(borrower, [lender]));
    const drawn = loans.map((loan, at) => {
      const amount = `${1_234_567_890 + at * 98_765}.${10 + (at % 90)}`;
      return posting(loan, '2025-01-31', [
        [undefined, amount],
        [lender, amount],
      ]);
    });
    await services.post([borrower, lender, ...loans.flatMap(({ all }) => all), ...drawn]);
    const deals = { borrowerId: borrower.id } as const;
    const person = await services.person(VIEW, { role: 'agent', lenderId: undefined, deals });
    const { html } = await person.signIn('/deals?limit=100');
    expect(rowsOf(html, 'deals')).to.have.length(100);
    expect(Buffer.byteLength(html)).to.be.at.most(60 * KB);
    expect(gzipSync(html).length).to.be.at.most(12 * KB);
  });

  it('comes with one style sheet of at most 12 kB, one picture, and one script of at most 15 kB', async () => {
    const person = await services.person(VIEW);
    const { html, response } = await person.signIn();
    const style = await fetch(new URL(readAssets().path('explorer.css'), services.url));
    expect((await style.arrayBuffer()).byteLength).to.be.at.most(12 * KB);
    expect(style.headers.get('cache-control')).to.include('immutable');
    const script = await fetch(new URL(readAssets().path('explorer.js'), services.url));
    expect((await script.arrayBuffer()).byteLength).to.be.at.most(15 * KB);
    const loaded = [...html.matchAll(/(?:src|<link [^>]*href)="([^"]*)"/g)].map(([, href]) => href);
    expect(loaded).to.have.length(3);
    // Nothing stands in the page itself: neither styles nor scripts.
    expect(html.replace(/<script type="module" src="[^"]*"><\/script>/, ''))
      .not.to.include('<script')
      .and.not.include('style=');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).to.include("script-src 'self';").and.include("default-src 'none'");
  });
});
