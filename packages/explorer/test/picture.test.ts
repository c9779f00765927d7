import { expect } from 'chai';
import fc from 'fast-check';
import { bars, steps, waterfall } from '../src/pages/picture.ts';
import { textIn } from '../src/web/text.ts';

const english = textIn('en');
const [TOP, BOTTOM, LEFT, RIGHT] = [26, 212, 60, 628];
const svgOf = (amounts: readonly string[]) => {
  const marks = amounts.map((amount, at) => ({ label: `${2030 + at}`, amount }));
  return bars(marks, 'what', english)?.toString() ?? '';
};
const columnsOf = (svg: string) =>
  [
    ...svg.matchAll(
      /<rect class="bar( minus)?" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g,
    ),
  ].map(([, minus, x = '', y = '', width = '', height = '']) => ({
    negative: minus !== undefined,
    ...{ left: Number(x), right: Number(x) + Number(width) },
    ...{ top: Number(y), bottom: Number(y) + Number(height) },
  }));
const zeroOf = (svg: string) => Number(/class="axis" d="M60 ([\d.]+)H/.exec(svg)?.[1]);

describe('a picture of columns', () => {
  it('hangs what is negative below the line of zero, and names each value', () => {
    const svg = svgOf(['100.00', '-50.00', '-0.01']);
    const [first, second, third] = columnsOf(svg);
    expect([first, second, third].map((one) => one?.negative)).to.deep.equal([false, true, true]);
    expect(first?.bottom).to.be.closeTo(zeroOf(svg), 0.11);
    expect(second?.top).to.be.closeTo(zeroOf(svg), 0.11);
    const heightOf = (one = first) => (one?.bottom ?? 0) - (one?.top ?? 0);
    expect(heightOf(first)).to.be.closeTo(2 * heightOf(second), 0.3);
    expect(heightOf(third)).to.equal(1);
    expect(svg).to.include('aria-label="2030: 100.00"').and.include('>2031: −50.00</text>');
  });

  it('has every column within itself, on its side of zero, whatever the amounts', () => {
    const cents = fc.bigInt(-(10n ** 18n), 10n ** 18n).filter((value) => value !== 0n);
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1, maxLength: 12 }), (all) => {
        const svg = svgOf(all.map(String));
        const zero = zeroOf(svg);
        const columns = columnsOf(svg);
        expect(columns).to.have.length(all.length);
        for (const [at, { negative, top, bottom, left, right }] of columns.entries()) {
          expect(negative).to.equal((all[at] ?? 0n) < 0n);
          expect(top).to.be.at.least((negative ? zero : TOP) - 1.1);
          expect(bottom).to.be.at.most((negative ? BOTTOM : zero) + 1.1);
          expect(left).to.be.at.least(LEFT);
          expect(right).to.be.at.most(RIGHT);
          expect(right - left).to.be.at.most(32.1);
        }
      }),
    );
  });

  it('begins each movement of a waterfall where what is before it ends', () => {
    const cents = fc.bigInt(-(10n ** 15n), 10n ** 15n).filter((value) => value !== 0n);
    fc.assert(
      fc.property(fc.array(cents, { minLength: 2, maxLength: 9 }), ([opening = 1n, ...moves]) => {
        const closing = moves.reduce((sum, move) => sum + move, opening);
        fc.pre(closing !== 0n);
        const mark = (amount: bigint) => ({ label: 'a', amount: `${amount}` });
        const svg =
          waterfall(mark(opening), moves.map(mark), mark(closing), 'what', english)?.toString() ??
          '';
        const columns = columnsOf(svg);
        // Four figures that are rounded to a tenth, and what a column has more than its amount for the least height.
        const rounded = 4 * 0.05 + 1e-9;
        const more = (one = columns[0]) => ((one?.bottom ?? 0) - (one?.top ?? 0) < 1.01 ? 1 : 0);
        expect(columns).to.have.length(moves.length + 2);
        let level = zeroOf(svg);
        let off = rounded;
        for (const [at, column] of columns.slice(0, -1).entries()) {
          const { negative, top, bottom } = column;
          expect(negative ? top : bottom, `${at}`).to.be.closeTo(level, off);
          level = negative ? bottom : top;
          off = rounded + more(column);
        }
        const last = columns.at(-1);
        expect(last?.negative ? last.bottom : last?.top).to.be.closeTo(level, off + more(last));
      }),
      // To make such numbers smaller takes minutes.
      { endOnFailure: true },
    );
  });

  it('breaks names that are wider than their column into lines', () => {
    const names = ['Opening', 'Rollovers between contracts', 'Closing'];
    const marks = [...names, ...names, ...names].map((label) => ({ label, amount: '1.00' }));
    const svg = bars(marks, 'what', english)?.toString() ?? '';
    expect(svg).to.include('viewBox="0 0 640 266"').and.include('y="258"');
    expect(svg).to.include('>between</text>').and.include('>Opening</text>');
  });

  it('is none where there is nothing to show', () => {
    expect(svgOf(['0.00', '0.00'])).to.equal('');
  });
});

describe('a picture of a course', () => {
  it('has nothing to point at outside of itself, however few its values are', () => {
    for (const count of [2, 3, 12]) {
      const marks = Array.from({ length: count }, (_, at) => ({
        ...{ label: `${2020 + at}-12-31`, amount: '10.00' },
      }));
      const svg = steps(marks, 'what', english)?.toString() ?? '';
      const targets = [...svg.matchAll(/<path d="M(\d+) 26H(\d+)V212H\1"/g)];
      expect(targets).to.have.length(count);
      for (const [, from, to] of targets) {
        expect(Number(to)).to.be.above(Number(from)).and.at.most(640);
      }
    }
  });

  it('has each of its labels once, and shows days where it is short', () => {
    const labelsOf = (first: string, last: string) => {
      const marks = [first, last].map((label) => ({ label, amount: '10.00' }));
      const svg = steps(marks, 'what', english)?.toString() ?? '';
      return [...svg.matchAll(/<text x="\d+" y="232">([^<]*)</g)].map(([, label]) => label);
    };
    expect(labelsOf('2026-04-30', '2026-06-30')).to.include('3 May').and.not.to.include('May 26');
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 0, max: 400 }),
        (days, from) => {
          const day = (at: number) => new Date(Date.UTC(2000, 0, at)).toISOString().slice(0, 10);
          const labels = labelsOf(day(from), day(from + days));
          expect(labels).not.to.have.length(0);
          expect(labels).to.deep.equal([...new Set(labels)]);
        },
      ),
    );
  });

  it('stays at an amount until it changes, and shows each value where they are few', () => {
    const months = Array.from({ length: 12 }, (_, at) => `2024-${`${at + 1}`.padStart(2, '0')}-28`);
    const marks = months.map((label, at) => ({ label, amount: at < 6 ? '10.00' : '20.00' }));
    const svg = steps(marks, 'what', english)?.toString() ?? '';
    expect(svg.match(/<circle/g)).to.have.length(12);
    expect(svg).to.include('aria-label="28 Jan 2024: 10.00"').and.include('28 Dec 2024: 20.00');
    const [, path = ''] = /class="line" d="([^"]*)"/.exec(svg) ?? [];
    expect(path).to.match(/^M60 [\d.]+(H[\d.]+V[\d.]+){11}$/);
    const heights = [...path.matchAll(/(?:M60 |V)([\d.]+)/g)].map(([, y]) => y);
    expect(new Set(heights)).to.have.property('size', 2);
    const more = [...marks, { label: '2025-01-28', amount: '1.00' }];
    expect(steps(more, 'what', english)?.toString()).not.to.include('<circle');
  });
});
