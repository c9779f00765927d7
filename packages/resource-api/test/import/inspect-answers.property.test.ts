import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import { AMOUNT_FIELDS, DATE_FIELDS, FIELDS, type Field } from '../../src/import/profile/fields.ts';
import { profileSchema } from '../../src/import/profile/profile.ts';
import { answer, inspect } from '../support/inspecting.ts';

/** What a sender calls the column of each field. */
const HEADERS: Readonly<Partial<Record<Field, string>>> = {
  ...{
    asOf: 'Reporting Date',
    loanNumber: 'Loan ID',
    dealNumber: 'Deal ID',
    dealName: 'Deal Name',
  },
  ...{ facilityNumber: 'Facility ID', facilityName: 'Facility Name', countryCode: 'Country Code' },
  ...{ country: 'Country', borrower: 'Borrower', borrowerNumber: 'Customer ID', agent: 'Agent' },
  ...{ guarantor: 'Guarantor', lender: 'Lender', lenderShare: 'Lender Share', status: 'Status' },
  ...{ loanType: 'Loan Type', rate: 'Interest Rate', currency: 'Currency', name: 'Project Name' },
  ...{ limit: 'Commitment', originalPrincipal: 'Original Balance', cancelled: 'Cancelled Amount' },
  ...{ undisbursed: 'Undrawn', disbursed: 'Disbursed Amount', repaid: 'Principal Repaid' },
  ...{ due: 'Current Balance', sold: 'Sold 3rd Party', closingDate: 'Origination Date' },
  ...{ effectiveDate: 'Start Date', maturityDate: 'Maturity Date' },
};

function cellOf(field: Field, row: number): string {
  const values: Readonly<Partial<Record<Field, string>>> = {
    ...{ countryCode: 'DE', country: 'Germany', currency: row % 2 === 0 ? 'EUR' : 'USD' },
    ...{ status: row % 2 === 0 ? 'Active' : 'Doubtful', loanType: 'XY', rate: '0.05' },
    ...{ lenderShare: '50', asOf: '2025-03-31', dealNumber: 'D-1' },
  };
  if ((AMOUNT_FIELDS as string[]).includes(field)) return `${row}00.50`;
  if ((DATE_FIELDS as string[]).includes(field)) return `0${row}/05/2031`;
  return values[field] ?? (field.endsWith('Number') ? `N-${row}` : `Some name ${'abc'[row]}`);
}

/** An answer to the question of each setting, as somebody gives it who knows the file. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  ...{ lender: { externalId: 'own', name: 'Our bank' }, country: 'DE', currency: 'EUR' },
  ...{ participants: { externalId: 'sold', name: 'Others' }, currencyColumn: 'amounts' },
  ...{ rateUnit: 'fraction', rowIs: 'loan', shareUnit: 'percent', facilityAmounts: 'repeated' },
  ...{ dateFormats: ['DD/MM/YYYY', 'YYYY-MM-DD'], identities: [], emptyIsZero: true },
  ...{ 'facilityTypes.*': 'term_loan', 'derive.undisbursed': '0' },
};

function answerTo(setting: string, question: string): unknown {
  if (setting in ANSWERS) return ANSWERS[setting];
  if (setting.startsWith('statuses.')) return ['active', 'active', 'active'];
  if (setting.startsWith('derive.')) return question.slice(2).split('?')[0];
  const [, header] = /\[([^\]]+)\]/.exec(question) ?? [];
  return [header ?? 'Column'];
}

describe('any columns of a file', () => {
  it('make a profile that the schema takes once its questions are answered', async function () {
    this.timeout(0);
    const known = FIELDS.filter((field) => HEADERS[field] !== undefined);
    const fields = fc.shuffledSubarray(known, { minLength: 2 });
    await fc.assert(
      fc.asyncProperty(fields, async (present) => {
        const rows = [1, 2, 3].map((row) => present.map((field) => cellOf(field, row)).join(';'));
        const header = present.map((field) => HEADERS[field]).join(';');
        const { yaml } = await inspect(`${[header, ...rows].join('\n')}\n`);
        const result = profileSchema.safeParse(answer(parse(yaml), {}, answerTo));
        expect(result.error?.issues ?? []).to.deep.equal([]);
      }),
      { numRuns: process.env['CLS_EXHAUSTIVE'] ? 3_000 : 150 },
    );
  });
});
