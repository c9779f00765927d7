import { LOCALES } from '@cls/shared/pages/browser';
import { expect } from 'chai';
import fc from 'fast-check';
import { readableAmount } from '../src/web/amounts.ts';
import { fieldsOf, readAmount, readInstant } from '../src/web/typed.ts';

describe('what people write into forms', () => {
  for (const [locale, typed, read] of [
    ['en', '1,234.56', '1234.56'],
    ['en', '1234.56', '1234.56'],
    ['en', '1,234', '1234'],
    ['en', ' 1 234 567.8 ', '1234567.8'],
    ['en', '−1,234.50', '-1234.50'],
    ['en', '0.125', '0.125'],
    ['en', '1.2340', '1.2340'],
    ['en', '007', '7'],
    ['de', '1.234,56', '1234.56'],
    ['de', '1234,56', '1234.56'],
    ['de', '1.234', '1234'],
    ['de', '1\u00a0234\u00a0567,80', '1234567.80'],
    ['de', '-0,5', '-0.5'],
    // What may be meant otherwise, or is no amount.
    ['en', '1.234', undefined],
    ['en', '1.234,56', undefined],
    ['en', '1234,56', undefined],
    ['en', '1,23,456', undefined],
    ['de', '1,234', undefined],
    ['de', '1,234.56', undefined],
    ['de', '1234.56', undefined],
    ['de', '1.23', undefined],
    ['en', '', undefined],
    ['en', '.5', undefined],
    ['en', '5.', undefined],
    ['en', '1e9', undefined],
    ['en', '1.2.3', undefined],
    ['en', 'USD 5', undefined],
    ['en', '٣٤', undefined],
  ] as const) {
    it(`reads “${typed}” in ${locale} as ${read ?? 'nothing'}`, () => {
      expect(readAmount(typed, locale)).to.equal(read);
    });
  }

  it('read an amount as it is shown', () => {
    const amount = fc
      .tuple(
        fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
        fc.constantFrom('', '.5', '.50', '.0625'),
      )
      .map(([whole, fraction]) => `${whole}${fraction}`);
    fc.assert(
      fc.property(amount, fc.constantFrom(...LOCALES), (one, locale) => {
        expect(readAmount(readableAmount(one, locale), locale)).to.equal(one);
      }),
    );
  });

  it('read a day and a time as an instant, and leave an exact one as it was', () => {
    const exact = '2025-04-02T06:30:12.123456Z';
    expect(fieldsOf(exact)).to.deep.equal({ day: '2025-04-02', time: '06:30:12' });
    expect(readInstant('2025-04-02', '06:30:12', exact)).to.equal(exact);
    expect(readInstant('2025-04-02', '06:30', exact)).to.equal('2025-04-02T06:30:00Z');
    expect(readInstant('2025-04-02', '', exact)).to.equal('2025-04-02T23:59:59.999999Z');
    for (const [day, time] of [
      ['2025-02-30', '06:30'],
      ['02.04.2025', '06:30'],
      ['2025-04-02', 'noon'],
      ['2025-04-02', '25:00'],
      ['', '06:30'],
    ] as const) {
      expect(readInstant(day, time, exact), `${day} ${time}`).to.equal(undefined);
    }
  });
});
