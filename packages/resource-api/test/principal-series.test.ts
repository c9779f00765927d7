import { Random } from '@cls/book-generator/random';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import {
  addPrincipal,
  PRINCIPAL_COMPONENTS,
  type PrincipalBalance,
  ZERO_BALANCE,
} from '../src/ledger/balance.ts';
import { daysAfter } from '../src/ledger/business-date.ts';
import { endOf } from '../src/ledger/interval.ts';
import { LEVELS, NO_FILTER } from '../src/questions/ask/balance-store.ts';
import {
  type SeriesPoint,
  type SeriesQuestion,
  seriesReader,
} from '../src/questions/lists/read-series.ts';
import type { BalanceReading } from '../src/questions/page/read-items.ts';
import { CUSTOMERS, callerOf, openAskedBook } from './support/asked-book.ts';
import { date } from './support/book.ts';

const QUESTIONS = 24;

describeOnDatabase('a series of principal', (engine) => {
  const random = new Random(71);
  const book = openAskedBook(engine, random);

  const aQuestion = (): SeriesQuestion & { reporting?: undefined } => {
    const { asOf, knownAt } = book().aTime();
    return {
      level: random.pick(LEVELS),
      filter: random.chance(0.3) ? NO_FILTER : book().aFilter(),
      interval: random.pick(['month', 'quarter', 'year', 'event']),
      asOf,
      knownAt,
      fromDate: asOf > '2023-03-10' && random.chance(0.6) ? date('2023-03-10') : undefined,
    };
  };

  it('has the roll-forwards that principal balances have, for every caller and two times', async function () {
    this.timeout(0);
    const readSeries = seriesReader(book().store, book().times);
    let compared = 0;
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const question = aQuestion();
      const caller = callerOf(random.pick(CUSTOMERS));
      const { points, from, snapshot, nextFrom } = await readSeries(caller, question);
      const note = JSON.stringify({ ...question, customer: caller.customer });
      const { level, knownAt } = question;
      const filter = { ...question.filter, includeZero: true };
      const found = await book().readings(caller, { ...question, filter });
      const keys = new Set(found.readings.map(({ item }) => item.end.key));
      expect(nextFrom, note).to.equal(undefined);
      expect(sorted(points), note).to.equal(true);
      if (points.length === 0) continue;
      // Without gaps, over the whole period.
      if (question.interval !== 'event') {
        const [{ currency }] = points as [SeriesPoint];
        const own = points.filter((point) => point.currency === currency);
        expect(own[0]?.from, note).to.equal(from);
        expect(own.at(-1)?.to, note).to.equal(snapshot.asOf);
        for (const [index, point] of own.entries()) {
          expect([endOf(question.interval, point.from), snapshot.asOf], note).to.include(point.to);
          if (index > 0)
            expect(point.from).to.equal(daysAfter(own[index - 1]?.to ?? point.from, 1));
        }
      }
      const some = random.some(points, Math.min(points.length, 4));
      for (const point of some) {
        const { readings } = await book().readings(caller, {
          level,
          filter: { ...NO_FILTER, includeZero: true },
          asOf: point.to,
          fromDate: point.from,
          knownAt,
        });
        const own = readings.filter(
          ({ item }) => keys.has(item.end.key) && item.currency === point.currency,
        );
        const at = `${note} ${point.currency} ${point.from} ${point.to}`;
        expect(plain(point.closing), at).to.deep.equal(sum(own, ({ item }) => lineOf(item)));
        expect(plain(point.opening), at).to.deep.equal(
          sum(own, ({ item, opening }) => opening?.get(item.position?.lenderId ?? '')?.balance),
        );
        compared += 1;
      }
      // Each day with a movement is a point, and no other.
      if (question.interval === 'event') {
        const whole = points.filter(({ currency }) => currency === points[0]?.currency);
        for (const [index, { opening, closing }] of whole.entries()) {
          expect(plain(opening)).to.not.deep.equal(plain(closing));
          if (index > 0) expect(plain(opening)).to.deep.equal(plain(whole[index - 1]?.closing));
        }
      }
    }
    expect(compared).to.be.greaterThan(QUESTIONS);
  });

  it('goes on where an answer ended, and comes to the same', async () => {
    const few = seriesReader(book().store, book().times, 5);
    const readSeries = seriesReader(book().store, book().times);
    const caller = callerOf('agency');
    for (const interval of ['month', 'event'] as const) {
      const question = {
        ...aQuestion(),
        ...{ asOf: date('2026-01-01'), knownAt: undefined },
        interval,
        filter: NO_FILTER,
      };
      const { points: whole } = await readSeries(caller, question);
      const walked: SeriesPoint[] = [];
      let answers = 0;
      for (let fromDate = question.fromDate, ended = false; !ended; answers += 1) {
        const { points, nextFrom } = await few(caller, { ...question, fromDate });
        expect(new Set(points.map(({ to }) => to)).size).to.be.most(5);
        walked.push(...points);
        fromDate = nextFrom;
        ended = nextFrom === undefined;
      }
      const shown = (points: readonly SeriesPoint[]) =>
        points
          .map(({ currency, from, to, opening, closing }) => [
            currency,
            from,
            to,
            plain(opening),
            plain(closing),
          ])
          .sort((a, b) => (`${a}` < `${b}` ? -1 : 1));
      expect(shown(walked)).to.deep.equal(shown(whole));
      expect(answers).to.be.greaterThan(3);
    }
  });
});

function sorted(points: readonly SeriesPoint[]): boolean {
  const places = points.map(({ currency, to }) => `${currency} ${to}`);
  return places.every((place, index) => index === 0 || (places[index - 1] ?? '') < place);
}

const lineOf = ({ position, lenders, global }: BalanceReading['item']) =>
  lenders.find(({ lender }) => lender.id === position?.lenderId)?.balance ?? global;

function plain(balance: PrincipalBalance = ZERO_BALANCE) {
  return PRINCIPAL_COMPONENTS.map((name) => `${name} ${balance[name]}`);
}

function sum(
  readings: readonly BalanceReading[],
  of: (reading: BalanceReading) => PrincipalBalance | undefined,
) {
  const zero: PrincipalBalance = ZERO_BALANCE;
  return plain(readings.reduce((all, reading) => addPrincipal(all, of(reading) ?? zero), zero));
}
