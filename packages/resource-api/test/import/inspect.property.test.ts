import { expect } from 'chai';
import fc from 'fast-check';
import { readDate } from '../../src/import/cells/dates.ts';
import { dialectsThatRead } from '../../src/import/cells/number-candidates.ts';
import type { NumberDialect } from '../../src/import/cells/numbers.ts';
import { inspect, load } from '../support/inspecting.ts';

/** Headers of one field in several languages; the same file keeps to one of them. */
const HEADERS = {
  loanNumber: ['Loan Number', 'Darlehensnummer', 'Numéro de prêt', 'Número de préstamo'],
  borrower: ['Borrower', 'Kreditnehmer', 'Emprunteur', 'Prestatario'],
  originalPrincipal: ['Original Balance', 'Ursprungskapital', 'Capital initial', 'Importe inicial'],
  due: ['Current Balance', 'Restschuld', 'Capital restant dû', 'Saldo pendiente'],
  rate: ['Interest Rate', 'Zinssatz', 'Taux', 'Tipo de interés'],
  effectiveDate: ['Start Date', 'Laufzeitbeginn', 'Date de début', 'Fecha de inicio'],
  maturityDate: ['Maturity Date', 'Fälligkeit', "Date d'échéance", 'Fecha de vencimiento'],
  currency: ['Currency', 'Währung', 'Devise', 'Moneda'],
} as const;
type Name = keyof typeof HEADERS;
const TOTAL = ['Total', 'Summe', 'Total', 'Total'];

interface Loan {
  readonly borrower: string;
  readonly due: number;
  readonly repaid: number;
  readonly rate: number;
  readonly start: number;
  readonly days: number;
}

const loan: fc.Arbitrary<Loan> = fc.record({
  borrower: fc.constantFrom(
    'Alder GmbH',
    'Müller & Söhne',
    'Société Dupré',
    'Peña, Hijos; Cía',
    'Birch "B" AG',
  ),
  /** Cents. */
  due: fc.nat(500_000_000),
  repaid: fc.nat(90_000_000),
  /** Hundredths of a percent. */
  rate: fc.integer({ min: 1, max: 1_499 }),
  start: fc.integer({ min: 14_000, max: 19_000 }),
  days: fc.integer({ min: 30, max: 8_000 }),
});

const dialects = fc.record({
  language: fc.nat(3),
  delimiter: fc.constantFrom(',', ';', '\t', '|', '^'),
  numbers: fc.constantFrom<
    readonly [NumberDialect['decimalSeparator'], NumberDialect['thousandsSeparator']]
  >(['.', undefined], [',', undefined], ['.', ','], [',', '.'], ['.', "'"], [',', ' ']),
  dates: fc.constantFrom(
    'YYYY-MM-DD',
    'DD.MM.YYYY',
    'MM/DD/YYYY',
    'DD/MM/YYYY',
    'D/M/YYYY',
    'YYYYMMDD',
  ),
  rates: fc.constantFrom('percent' as const, 'fraction' as const),
  encoding: fc.constantFrom('utf-8', 'utf-16le', 'windows-1252'),
  preamble: fc.nat(3),
  totals: fc.boolean(),
  /** Amounts without cents: `1.234` and `1,234` may be two numbers. */
  whole: fc.boolean(),
  order: fc
    .shuffledSubarray(Object.keys(HEADERS) as Name[], { minLength: 3 })
    .map((names) => [...new Set<Name>(['loanNumber', ...names, 'due'])]),
});
type Written = typeof dialects extends fc.Arbitrary<infer T> ? T : never;

function number(
  hundredths: number,
  [decimal, thousands]: Written['numbers'],
  decimals = 2,
): string {
  const digits = `${hundredths}`.padStart(decimals + 1, '0');
  const whole = digits
    .slice(0, digits.length - decimals)
    .replace(/\B(?=(\d{3})+$)/g, thousands ?? '');
  return decimals === 0 ? whole : `${whole}${decimal}${digits.slice(-decimals)}`;
}

function day(number: number): string {
  return new Date(number * 86_400_000).toISOString().slice(0, 10);
}

function date(iso: string, format: string): string {
  const [year = '', month = '', of = ''] = iso.split('-');
  const parts: Record<string, string> = {
    ...{ YYYY: year, MM: month, DD: of },
    ...{ M: `${Number(month)}`, D: `${Number(of)}` },
  };
  return format.replace(/YYYY|MM|DD|M|D/g, (part) => parts[part] ?? '');
}

function cellsOf(loan: Loan, index: number, dialect: Written): Record<Name, string> {
  const { numbers, dates, rates } = dialect;
  const decimals = dialect.whole ? 0 : 2;
  return {
    loanNumber: `L-${1_000 + index}`,
    borrower: loan.borrower,
    originalPrincipal: number(loan.due + loan.repaid, numbers, decimals),
    due: number(loan.due, numbers, decimals),
    rate:
      rates === 'percent'
        ? number(loan.rate, numbers)
        : number(loan.rate, [numbers[0], undefined], 4),
    effectiveDate: date(day(loan.start), dates),
    maturityDate: date(day(loan.start + loan.days), dates),
    currency: 'EUR',
  };
}

function fileOf(loans: readonly Loan[], dialect: Written): Buffer {
  const { delimiter, order, language, totals, preamble, encoding, numbers } = dialect;
  const quoted = (cell: string) =>
    cell.includes(delimiter) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
  const line = (cells: readonly string[]) => `${cells.map(quoted).join(delimiter)}\r\n`;
  const sum = (of: (loan: Loan) => number) => loans.reduce((all, each) => all + of(each), 0);
  const totalsCells = order.map((name, index) => {
    const decimals = dialect.whole ? 0 : 2;
    if (name === 'due')
      return number(
        sum((each) => each.due),
        numbers,
        decimals,
      );
    if (name === 'originalPrincipal') {
      return number(
        sum((each) => each.due + each.repaid),
        numbers,
        decimals,
      );
    }
    return index === 0 ? (TOTAL[language] ?? '') : '';
  });
  const lines = [
    ...['Musterbank', 'Credit department', 'internal']
      .slice(0, preamble)
      .map((text) => line([text])),
    line(order.map((name) => HEADERS[name][language] ?? '')),
    ...loans.map((each, index) => {
      const cells = cellsOf(each, index, dialect);
      return line(order.map((name) => cells[name]));
    }),
    ...(totals && !['due', 'originalPrincipal'].includes(order[0] ?? '')
      ? [line(totalsCells)]
      : []),
  ];
  const text = lines.join('');
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le');
  return Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'latin1');
}

/** The proposed profile with each question answered by whoever wrote the file. */
function answered(proposed: Readonly<Record<string, unknown>>, dialect: Written) {
  const { numbers, dates, rates, encoding } = dialect;
  const [decimalSeparator, thousandsSeparator] = numbers;
  const isOpen = (key: string) => `${proposed[key]}`.startsWith('?');
  const truths: Readonly<Record<string, unknown>> = {
    ...{ dateFormats: [dates], rateUnit: rates, encoding, currency: 'EUR', country: 'DE' },
    lender: { externalId: 'own', name: 'Our bank' },
  };
  const answers = Object.keys(truths).filter(isOpen);
  return {
    ...proposed,
    ...Object.fromEntries(answers.map((key) => [key, truths[key]])),
    ...(isOpen('decimalSeparator') ? { decimalSeparator, thousandsSeparator } : {}),
  };
}

/** A loan of the book as a row of the statement has it, in the columns that the file has. */
function expectedOf({ due, repaid, rate, start, days }: Loan, index: number, dialect: Written) {
  const cents = (amount: number) => BigInt(amount) * (dialect.whole ? 100n : 1n);
  const has = (name: Name) => dialect.order.includes(name);
  return {
    loanNumber: `L-${1_000 + index}`,
    due: cents(due),
    originalPrincipal: has('originalPrincipal') ? cents(due + repaid) : undefined,
    allInRate: has('rate') ? `0.${`${rate}`.padStart(4, '0')}00000000` : undefined,
    effectiveDate: has('effectiveDate') ? day(start) : undefined,
    maturityDate: has('maturityDate') ? day(start + days) : undefined,
  };
}

/** Whether what is asked could be read in another way too. */
function checkQuestions(
  question: (setting: string) => string | undefined,
  loans: readonly Loan[],
  dialect: Written,
): void {
  const { dates, rates, order } = dialect;
  const rows = loans.map((each, index) => cellsOf(each, index, dialect));
  const texts = (...names: readonly Name[]) =>
    rows.flatMap((cells) =>
      names.filter((name) => order.includes(name)).map((name) => cells[name]),
    );
  if (question('dateFormats') !== undefined) {
    const swapped = dates.replace(/D+|M+/g, (part) =>
      part.startsWith('D') ? part.replaceAll('D', 'M') : part.replaceAll('M', 'D'),
    );
    const isBoth = (text: string) => readDate(text, [swapped]) !== undefined;
    expect(texts('effectiveDate', 'maturityDate').every(isBoth), 'dates decide').to.equal(true);
  }
  if (question('decimalSeparator') !== undefined) {
    const readings = dialectsThatRead(texts('due', 'originalPrincipal', 'rate'));
    expect(readings.length, 'numbers decide').to.be.greaterThan(1);
  }
  if (question('rateUnit') !== undefined) {
    const least = rates === 'percent' ? 100 : 10_000;
    const below = loans.filter((each) => each.rate < least).length;
    expect(below, 'rates decide').to.be.greaterThan(loans.length / 2);
  }
}

describe('any book in any dialect', () => {
  it('is inspected and, when the questions are answered, loaded to the cent', async function () {
    this.timeout(0);
    const books = fc.array(loan, { minLength: 4, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(books, dialects, async (loans, dialect) => {
        const file = fileOf(loans, dialect);
        const { inspection, setting, question } = await inspect(file);
        const { language, order } = dialect;
        for (const name of Object.keys(HEADERS) as Name[]) {
          const wanted = order.includes(name) ? [HEADERS[name][language]] : undefined;
          expect(setting(`columns.${name}`), name).to.deep.equal(wanted);
        }
        checkQuestions(question, loans, dialect);
        const rows = await load(file, answered(inspection.profile, dialect));
        const loaded = rows.map(({ loanNumber, allInRate, amounts, dates }) => {
          const { due, originalPrincipal } = amounts;
          const { effectiveDate, maturityDate } = dates;
          return { loanNumber, due, originalPrincipal, allInRate, effectiveDate, maturityDate };
        });
        expect(loaded).to.deep.equal(loans.map((each, index) => expectedOf(each, index, dialect)));
      }),
      { numRuns: Number(process.env['CLS_EXHAUSTIVE'] ? 2_000 : 120) },
    );
  });
});
