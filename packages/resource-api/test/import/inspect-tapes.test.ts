import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { formatAmount } from '../../src/ledger/money.ts';
import { answer, inspect, load } from '../support/inspecting.ts';

const TAPES = new URL('../../../test/fixtures/tapes/', import.meta.url);
const TYPES = { 'facilityTypes.*': 'term_loan' };
/** What every file leaves open, or most of them. */
const USUAL = {
  ...{ lender: { externalId: 'own', name: 'Our bank' }, country: 'ZZ', ...TYPES },
  ...{ participants: { externalId: 'sold', name: 'Third parties' }, currencyColumn: 'amounts' },
  ...{ 'derive.undisbursed': 'limit - due' },
};
const WORLD_BANK = { lender: USUAL.lender, ...TYPES, participants: USUAL.participants };

interface Tape {
  readonly file: string;
  /** Settings that are open beside those of `USUAL`, in their order, with their answers. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Outstanding principal by the sender's arithmetic (the README of the fixtures). */
  readonly due: Readonly<Record<string, string>>;
  /** Sheet of a workbook that is inspected. */
  readonly sheet?: string;
}

const LOADED: readonly Tape[] = [
  { file: 'ibrd.csv', answers: {}, due: { USD: '266499873.06' } },
  {
    file: 'ida.csv',
    answers: { currency: 'USD', rateUnit: 'percent' },
    due: { USD: '167291665.84' },
  },
  {
    file: 'pacta-loan-book.csv',
    answers: { 'columns.limit': ['loan_size_credit_limit'] },
    due: { EUR: '1042628.00', USD: '498297.00' },
  },
  { file: 'esma-annex-5.csv', answers: { currency: 'EUR' }, due: { EUR: '111843.70' } },
  { file: 'lendingclub.csv', answers: { currency: 'USD' }, due: { USD: '29950.49' } },
  {
    file: 'cmbs-schedule-al.csv',
    answers: { dateFormats: ['MM-DD-YYYY'], currency: 'USD', rateUnit: 'fraction' },
    due: { USD: '177458304.76' },
  },
  {
    file: 'french-municipal-debt.csv',
    answers: { encoding: 'windows-1252', currency: 'EUR', rowIs: 'loan' },
    due: { EUR: '6396667.15' },
  },
  {
    file: 'spanish-bank.csv',
    answers: { encoding: 'iso-8859-1' },
    due: { EUR: '1484055.48', USD: '11000250.10' },
  },
  {
    file: 'bndes.csv',
    answers: {
      ...{ encoding: 'windows-1252', 'columns.rate': ['juros'], 'columns.due': undefined },
      currency: 'BRL',
    },
    due: { BRL: '142415568.92' },
  },
  {
    file: 'syndicate-positions.csv',
    answers: {
      'columns.due': ['Lender Outstanding'],
      ...{ shareUnit: 'percent', rowIs: 'lender', facilityAmounts: 'repeated' },
    },
    due: { EUR: '88000000.00', USD: '45000000.00' },
  },
  {
    file: 'kredite-teur.xlsx',
    sheet: 'Kredite',
    answers: { amountsIn: 1_000, currency: 'EUR', excessDecimals: 'reject' },
    due: { EUR: '8927224.00' },
  },
];

/** What no column has and no question asks for. */
const BESIDE: Readonly<Record<string, object>> = {
  'bndes.csv': { derive: { due: 'disbursed', repaid: '0' } },
};

const read = (file: string) => readFileSync(new URL(file, TAPES));

describe('files as their senders write them, inspected', () => {
  for (const { file, sheet, answers, due } of LOADED) {
    it(`${file}: asks what it leaves open, and has the sender’s totals`, async () => {
      const { inspection } = await inspect(read(file), file, sheet);
      const open = inspection.questions.map(({ setting }) => setting);
      const beside = open.filter((setting) => !(setting in USUAL));
      expect(beside).to.deep.equal(Object.keys(answers));
      const document = answer(inspection.profile, { ...answers, ...onlyOpen(open) });
      const sums = new Map<string, bigint>();
      for (const { currency, amounts } of await load(read(file), {
        ...document,
        ...BESIDE[file],
      })) {
        sums.set(currency, (sums.get(currency) ?? 0n) + (amounts.due ?? 0n));
      }
      const told = [...sums].map(([currency, sum]) => [currency, formatAmount(sum, 2)]);
      expect(Object.fromEntries(told)).to.deep.equal(due);
    });
  }

  it('of the World Bank leave open who lends, the types, and who holds what was sold', async () => {
    const { inspection } = await inspect(read('ibrd.csv'), 'ibrd.csv');
    const open = inspection.questions.map(({ setting }) => setting);
    expect(open).to.have.members(Object.keys(WORLD_BANK));
  });

  for (const [file, setting, question] of [
    ['crefc-loan-periodic.csv', 'headerRow', 'the file has no header'],
    ['freddie-mac-performance.csv', 'headerRow', 'as in Freddie Mac single-family monthly'],
    ['sba-ppp.csv', 'columns.loanNumber', 'the number that identifies a loan'],
    ['sba-7a.csv', 'dateFormats', 'ApprovalDate, row 2: 15074 is 1941-04-08'],
    ['kiva.csv', 'columns.due', 'the outstanding principal'],
    ['monthly-portfolio.csv', 'columns.asOf', 'it has 2 dates'],
    [
      'ibrd-spreadsheet.csv',
      'identities',
      'obligation = due + exchangeAdjustment does not hold in 1',
    ],
    ['darlehensbestand.xlsx', 'totalsRow', 'adds amounts of several currencies'],
  ] as const) {
    it(`${file}: ${setting} is a question`, async () => {
      const inspected = await inspect(read(file), file);
      expect(inspected.question(setting)).to.include(question);
    });
  }
});

/** The usual answers to what is asked. */
function onlyOpen(open: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(USUAL).filter(([setting]) => open.includes(setting)));
}
