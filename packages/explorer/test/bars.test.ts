import { expect } from 'chai';
import fc from 'fast-check';
import { barChart } from '../src/pages/bars.ts';
import { textIn } from '../src/web/text.ts';

const english = textIn('en');
const svgOf = (amounts: readonly string[]) => {
  const bars = amounts.map((amount, at) => ({ label: `${2030 + at}`, amount }));
  return barChart(bars, 'what', english)?.toString() ?? '';
};
const columnsOf = (svg: string) =>
  [...svg.matchAll(/<rect class="bar( minus)?"[^>]* y="(\d+)" [^>]*height="(\d+)"/g)].map(
    ([, minus, y = '', height = '']) => ({
      negative: minus !== undefined,
      top: Number(y),
      bottom: Number(y) + Number(height),
    }),
  );

describe('a picture of columns', () => {
  it('hangs what is negative below the line of zero', () => {
    const svg = svgOf(['100.00', '-50.00', '-0.01']);
    const [first, second, third] = columnsOf(svg);
    expect(first?.negative).to.equal(false);
    expect(second?.negative).to.equal(true);
    expect(first?.bottom).to.equal(second?.top);
    expect(svg).to.include(`M0 ${second?.top}H`);
    const heightOf = (one = first) => (one?.bottom ?? 0) - (one?.top ?? 0);
    expect(heightOf(first)).to.equal(2 * heightOf(second));
    expect(heightOf(third)).to.equal(1);
    expect(svg).to.include('>100.00<').and.include('>−50.00<');
  });

  it('has every column within itself, on its side of zero, whatever the amounts', () => {
    const cents = fc.bigInt(-(10n ** 18n), 10n ** 18n).filter((value) => value !== 0n);
    fc.assert(
      fc.property(fc.array(cents, { minLength: 2, maxLength: 30 }), (all) => {
        const svg = svgOf(all.map(String));
        const zero = Number(/H640M0 (\d+)H/.exec(svg)?.[1]);
        const columns = columnsOf(svg);
        expect(columns).to.have.length(all.length);
        for (const [at, { negative, top, bottom }] of columns.entries()) {
          expect(negative).to.equal((all[at] ?? 0n) < 0n);
          expect(top).to.be.at.least(negative ? zero : 18);
          // One that is too small to see is one pixel high.
          expect(bottom).to.be.at.most((negative ? 198 : zero) + 1);
        }
      }),
    );
  });
});
