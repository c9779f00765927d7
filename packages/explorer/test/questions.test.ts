import { expect } from 'chai';
import type { Meta } from '../src/balances/shapes.ts';
import { addressIn, EVERY_PAGE, type Shown, type Viewer } from './support/every-page.ts';
import type { Person } from './support/person.ts';
import { type Services, startServices } from './support/services.ts';
import { makeShownBook, type ShownBook } from './support/shown-book.ts';

const MOST = 3;
/** One of them is since when the deal is there. */
const MOST_OF_A_PART = 4;
/** A list asks once more about the loans of the deals that it has found. */
function isOfLoans(asked: string): boolean {
  return /level=(facility|contract)/.test(asked) && /&dealId=/.test(asked);
}

/** The sums, the course, and what matures soon; of the portfolio also the days past due. */
const [MOST_OF_SUMS, MOST_OF_PORTFOLIO] = [6, 7];
/** Where the API refuses what a form sent, the page is asked for without it, at the usual times. */
const MOST_FURTHER = 2 * MOST_OF_PORTFOLIO + 1;
/** A page that asks nothing more in this time waits for answers; none that asks all at once takes it. */
const QUIET_MS = 20_000;

function mostAtOnce({ address }: Shown): number {
  if (address.startsWith('/portfolio')) return MOST_OF_PORTFOLIO;
  if (/^\/(borrowers|lenders)/.test(address)) return MOST_OF_SUMS;
  return /^\/deals\/[^/?]+\//.test(address) ? MOST_OF_A_PART : MOST;
}

/** By more than its address: a state of signing in, which the API has no part in. */
function isReached({ reach, status }: Shown): boolean {
  return reach !== undefined && status !== undefined;
}

describe('what a page asks the API', () => {
  let services: Services;
  let book: ShownBook;
  let lastDay: string;
  let people: Readonly<Record<Viewer, Person>>;
  before(async () => {
    // Its book is that of every-page.chromium.test.ts, which may be there in the shared ones.
    services = await startServices();
    const made = await makeShownBook(services);
    book = made.book;
    lastDay = (await services.ask<{ meta: Meta }>('/me')).meta.asOf;
    people = { ...made.people, stranger: made.people.agent.another() };
    await Promise.all(
      Object.entries(made.people).map(([as, person]) =>
        person.signIn(as === 'administrator' ? '/usage' : '/deals'),
      ),
    );
  });
  after(() => services?.stop());
  afterEach(() => {
    services.between.fault = undefined;
    services.between.change = undefined;
    services.between.hold = undefined;
  });

  /** The page at times that are given, as it is from the second page of a visit on. */
  const addressOf = async (shown: Shown): Promise<string> => {
    const url = new URL(addressIn(book, shown), services.url);
    for (const [name, time] of [
      ['asOf', lastDay],
      ['knownAt', book.known],
    ] as const) {
      if (!url.searchParams.has(name)) url.searchParams.set(name, time);
    }
    if (isReached(shown)) return url.href;
    if (shown.reach === undefined) {
      // What people write is led to what the API reads.
      const { headers } = await people[shown.as].send(url.href);
      const read = new URL(headers.get('location') ?? url.href, url);
      return (read.pathname === url.pathname ? read : url).href;
    }
    // The link to it is on the page before.
    const { html } = await people[shown.as].open(url.href);
    return /rel="next" href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  };

  /** Opens a page whose questions are answered when so many wait: what was asked in each round. */
  const askedIn = async (
    person: Person,
    address: string,
    counts: readonly number[],
  ): Promise<readonly (readonly string[])[]> => {
    const { between } = services;
    between.asked.length = 0;
    const rounds: (readonly string[])[] = [];
    let waiting: (() => void)[] = [];
    let timer: NodeJS.Timeout | undefined;
    const release = () => {
      clearTimeout(timer);
      rounds.push(between.asked.splice(0));
      const held = waiting;
      waiting = [];
      for (const one of held) one();
    };
    between.hold = () =>
      new Promise((done) => {
        waiting.push(done);
        clearTimeout(timer);
        if (waiting.length === counts[rounds.length]) release();
        else timer = setTimeout(release, QUIET_MS);
      });
    await (await person.send(address)).text();
    return rounds;
  };

  for (const shown of EVERY_PAGE) {
    const { what, status = 200, asksFurther = false, asksThen = 0 } = shown;
    const most = asksFurther ? MOST_FURTHER : mostAtOnce(shown);
    const then = asksThen === 0 ? '' : `, and ${asksThen} about the answers`;
    it(`${asksFurther ? 'asks' : 'asks at once, and'} at most ${most} questions${then}: ${what}`, async () => {
      const address = await addressOf(shown);
      let person = people[shown.as];
      if (status === 502) {
        // A token that is not trusted is replaced, unless it is new.
        person = person.another();
        await person.signIn('/deals');
      }
      Object.assign(services.between, { fault: shown.fault, change: shown.change });
      services.between.asked.length = 0;
      const response = await person.send(address);
      await response.text();
      // What leads to the others are pages of the issuer.
      if (!isReached(shown)) expect(response.status).to.equal(status);
      const asked = [...services.between.asked];
      const ofLoans = shown.address.startsWith('/deals?') || shown.address === '/deals';
      const last = asksThen + (ofLoans ? asked.filter(isOfLoans).length : 0);
      expect(asked.length, asked.join('\n')).to.be.within(asksFurther ? 1 : 0, most + last);
      if (asksFurther) return;
      const counts = [asked.length - last, last].filter((count) => count > 0);
      const rounds = await askedIn(person, address, counts);
      expect(
        rounds.map((round) => round.length),
        JSON.stringify(rounds),
      ).to.deep.equal(counts);
    });
  }
});
