import { expect } from 'chai';
import fc from 'fast-check';
import { dateReadings } from '../../src/import/cells/date-candidates.ts';
import { dateExpected } from '../../src/import/cells/date-refusal.ts';
import { DATE_FORMAT, readDate } from '../../src/import/cells/dates.ts';
import { dialectsThatRead } from '../../src/import/cells/number-candidates.ts';
import { type NumberDialect, readNumber } from '../../src/import/cells/numbers.ts';
import { rateExpected, readRate } from '../../src/import/cells/rates.ts';
import { parseAmount } from '../../src/ledger/money.ts';

const CURRENCY_MARKS = { '€': 'EUR', USD: 'USD', $: 'USD', 'kr.': 'SEK' };
const SPELLINGS = {
  "'": ["'", '’'],
  ' ': [' ', '\u00a0', '\u202f', '\u2009'],
  ',': [','],
  '.': ['.'],
};

const dialects: fc.Arbitrary<NumberDialect> = fc
  .record({
    decimalSeparator: fc.constantFrom('.', ','),
    thousandsSeparator: fc.constantFrom(undefined, ',', '.', "'", ' '),
    parenthesesNegative: fc.boolean(),
    trailingMinus: fc.boolean(),
    negativeMarks: fc.constantFrom<string[] | undefined>(undefined, ['CR'], ['Haben', 'H']),
    positiveMarks: fc.constantFrom<string[] | undefined>(undefined, ['DR'], ['S']),
    currencyMarks: fc.constantFrom<Record<string, string> | undefined>(undefined, CURRENCY_MARKS),
    zeroMarks: fc.constantFrom<string[] | undefined>(undefined, ['-', 'nil']),
  })
  .filter(({ decimalSeparator, thousandsSeparator }) => decimalSeparator !== thousandsSeparator);

const amounts = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n });
const space = fc.constantFrom('', ' ', '\u00a0');

/** An amount in cents as the dialect can write it. `pick` takes one of several spellings. */
function written(cents: bigint, dialect: NumberDialect, pick: <T>(from: readonly T[]) => T) {
  const { thousandsSeparator, decimalSeparator } = dialect;
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  const spelling = thousandsSeparator && pick(SPELLINGS[thousandsSeparator]);
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, pick(['', spelling ?? '']));
  const number = `${whole}${decimalSeparator}${digits.slice(-2)}`;
  const mark = dialect.currencyMarks && pick([undefined, ...Object.keys(dialect.currencyMarks)]);
  const beside = pick(['', ' ']);
  const marked = mark ? pick([`${mark}${beside}${number}`, `${number}${beside}${mark}`]) : number;
  const { negativeMarks = [], positiveMarks = [] } = dialect;
  const words = cents < 0n ? negativeMarks : positiveMarks;
  const signed = words.flatMap((word) => [`${word}${beside}${marked}`, `${marked} ${word}`]);
  const signs = cents < 0n ? ['-', '−'].map((sign) => sign + marked) : [marked, `+${marked}`];
  if (cents < 0n && dialect.parenthesesNegative) signs.push(`(${marked})`);
  if (cents < 0n && dialect.trailingMinus && !mark) signs.push(`${marked}-`);
  return pick([...signs, ...signed]);
}

describe('any amount', () => {
  const samples = fc.tuple(amounts, dialects, space, fc.infiniteStream(fc.nat(1_000)));
  const textOf = ([cents, dialect, around, stream]: [
    bigint,
    NumberDialect,
    string,
    Iterator<number>,
  ]) => {
    const pick = <T>(from: readonly T[]): T => from[stream.next().value % from.length] as T;
    return `${around}${written(cents, dialect, pick)}${around}`;
  };

  it('is read back as it was written in any dialect, with no other value', () => {
    fc.assert(
      fc.property(samples, (sample) => {
        const text = textOf(sample);
        const read = readNumber(text, sample[1]);
        expect('text' in read, `${text} ${JSON.stringify([sample[1], read])}`).to.equal(true);
        expect('text' in read && parseAmount(read.text, 2)).to.deep.equal({
          amountMinor: sample[0],
          rounded: false,
        });
      }),
      { numRuns: 2_000 },
    );
  });

  it('of a workbook is the shortest decimal that is the same double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const read = readNumber(value, { decimalSeparator: ',' });
        if ('text' in read) {
          expect(read.text).to.match(/^-?\d+(\.\d+)?$/);
          expect(Number(read.text) === value).to.equal(true);
        } else expect(read.code).to.equal('inexact_amount');
      }),
    );
  });
});

const MONTHS = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR', es: 'es-ES' };
const marks = fc.constantFrom('-', '/', '.', ' ', ', ');
const orders = fc.shuffledSubarray(['Y', 'M', 'D'], { minLength: 3 });
const formats = fc
  .tuple(
    orders,
    marks,
    fc.constantFrom('YYYY', 'YY'),
    fc.constantFrom('M', 'MM', 'MMM', 'MMMM'),
    fc.constantFrom('D', 'DD'),
    fc.constantFrom('', ' hh:mm', 'Thh:mm:ss', ', h:mm', ' hh:mm:ss AM'),
  )
  .map(([order, mark, Y, M, D, time]) => {
    const tokens: Readonly<Record<string, string>> = { Y, M, D };
    return order.map((letter) => tokens[letter]).join(mark) + time;
  });
const days = fc
  .date({ min: new Date('1950-01-01'), max: new Date('2049-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** A day as the format writes it, with the month's name in one language. */
function dayAs(format: string, day: string, locale: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  const name = (style: 'long' | 'short') =>
    new Date(day).toLocaleDateString(locale, { month: style, timeZone: 'UTC' });
  const tokens: Readonly<Record<string, string>> = {
    YYYY: year,
    YY: year.slice(2),
    MMMM: name('long'),
    MMM: name('short'),
    MM: month,
    M: `${Number(month)}`,
    DD: date,
    D: `${Number(date)}`,
    hh: format.endsWith('AM') ? '12' : '00',
    h: '0',
    mm: '00',
    ss: '00',
  };
  return format.replace(
    /YYYY|YY|MMMM|MMM|MM|(?<!A)M|DD|D|hh|h|mm|ss/g,
    (token) => tokens[token] ?? token,
  );
}

describe('any date', () => {
  it('is read back as it was written in any format and any of four languages', () => {
    fc.assert(
      fc.property(
        days,
        formats,
        fc.constantFrom(...Object.values(MONTHS)),
        (day, format, locale) => {
          expect(DATE_FORMAT.safeParse(format).success, format).to.equal(true);
          const text = dayAs(format, day, locale);
          expect(readDate(text, [format], 1950), `${text} as ${format}`).to.equal(day);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('that two formats read as two days is refused', () => {
    fc.assert(
      fc.property(days, formats, formats, (day, one, other) => {
        const text = dayAs(one, day, MONTHS.en);
        const [first, second] = [one, other].map((format) => readDate(text, [format], 1950));
        const both = readDate(text, [one, other], 1950);
        expect(both).to.equal(second === undefined || first === second ? first : undefined);
      }),
    );
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(..."0123456789.,'’ -−+()%$€CDRHSbpEe/:TM\u00a0\u202f");
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({ unit: pieces, maxLength: 12 }),
  );
  const cells = fc.oneof(texts, fc.double(), fc.date({ noInvalidDate: false }));

  it('has one meaning under a dialect, in whatever order that names its marks', () => {
    fc.assert(
      fc.property(texts, dialects, (text, dialect) => {
        const { negativeMarks, positiveMarks, currencyMarks } = dialect;
        const reversed = {
          ...dialect,
          negativeMarks: negativeMarks?.toReversed(),
          positiveMarks: positiveMarks?.toReversed(),
          currencyMarks:
            currencyMarks && Object.fromEntries(Object.entries(currencyMarks).reverse()),
        };
        const [one, other] = [dialect, reversed].map((each) => readNumber(text, each));
        if (one && 'text' in one) expect(other).to.deep.equal(one);
        else expect(other).not.to.have.property('text');
      }),
      { numRuns: 2_000 },
    );
  });

  it('is read or refused by a sentence, and never throws', () => {
    fc.assert(
      fc.property(cells, dialects, formats, (cell, dialect, format) => {
        const read = readNumber(cell, dialect);
        if ('text' in read) expect(read.text).to.match(/^-?\d+(\.\d+)?$/);
        else expect(read.expected).to.match(/^expected /);
        expect(readDate(cell, [format, 'serial']) ?? '2000-01-01').to.match(/^\d{4}-\d\d-\d\d$/);
        expect(dateExpected([format], cell)).to.match(/^expected /);
        for (const unit of ['percent', 'fraction', 'basis_points'] as const) {
          expect(readRate(cell, dialect, unit) ?? '0.0').to.match(/^-?\d+\.\d+$/);
          expect(rateExpected(cell, dialect, unit)).to.match(/^expected /);
        }
        expect(dateReadings([cell])).to.be.an('array');
        expect(dialectsThatRead([cell])).to.be.an('array');
        expect(DATE_FORMAT.safeParse(`${cell}`).success).to.be.a('boolean');
      }),
      { numRuns: 2_000 },
    );
  });
});
