import { expect } from 'chai';
import fc from 'fast-check';
import {
  difference,
  MINUS,
  minorUnits,
  percentOf,
  readableAmount,
  sumOf,
} from '../src/web/amounts.ts';

/** Amounts as the API writes them: up to 10^18, with 0 to 4 digits. */
const amounts = (digits: number) =>
  fc.bigInt(-(10n ** 18n), 10n ** 18n).map((whole) => {
    const text = (whole < 0n ? -whole : whole).toString();
    const sign = whole < 0n ? '-' : '';
    return digits === 0 ? `${sign}${text}` : `${sign}${text}.${'7'.repeat(digits)}`;
  });
const digits = fc.integer({ min: 0, max: 4 });

describe('amounts on pages', () => {
  for (const [locale, group, point] of [
    ['en', ',', '.'],
    ['de', '.', ','],
  ] as const) {
    it(`have every digit of the API’s string in ${locale}, whatever their size`, () => {
      fc.assert(
        fc.property(digits.chain(amounts), (amount) => {
          const shown = readableAmount(amount, locale);
          const back = shown.replaceAll(group, '').replace(point, '.').replace(MINUS, '-');
          expect(back).to.equal(amount);
        }),
      );
    });
  }

  it('are grouped by three', () => {
    expect(readableAmount('1234567.80', 'en')).to.equal('1,234,567.80');
    expect(readableAmount('-100', 'de')).to.equal(`${MINUS}100`);
    expect(readableAmount('-1000', 'de')).to.equal(`${MINUS}1.000`);
  });

  it('add up exactly, in any order', () => {
    const list = digits.chain((count) => fc.array(amounts(count), { minLength: 1 }));
    fc.assert(
      fc.property(list, (all) => {
        const count = all[0]?.split('.')[1]?.length ?? 0;
        const sum = all.reduce((total, one) => total + minorUnits(one, count), 0n);
        expect(minorUnits(sumOf(all) ?? '0', count)).to.equal(sum);
        expect(sumOf([...all].reverse())).to.equal(sumOf(all));
      }),
    );
  });

  it('differ by what must be added', () => {
    fc.assert(
      fc.property(amounts(2), amounts(2), (from, to) => {
        expect(minorUnits(sumOf([from, difference(from, to)]) ?? '', 2)).to.equal(
          minorUnits(to, 2),
        );
      }),
    );
  });

  it('refuse what is no decimal string', () => {
    for (const text of ['', '1e3', 'NaN', '1,000', '0x10', ' 1']) {
      expect(() => readableAmount(text, 'en'), text).to.throw(TypeError);
    }
  });

  it('show a rate as a percentage without losing a digit', () => {
    expect(percentOf('0.0475')).to.equal('4.75');
    expect(percentOf('0.05')).to.equal('5');
    expect(percentOf('1.25')).to.equal('125');
    expect(percentOf('0.0123456789')).to.equal('1.23456789');
    expect(percentOf('-0.005')).to.equal('-0.5');
    expect(percentOf('0')).to.equal('0');
  });
});
