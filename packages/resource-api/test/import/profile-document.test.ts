import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandRefused } from '@cls/shared/cli/command-line';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { readProfile } from '../../src/cli/read-profile.ts';
import { checkProfile } from '../../src/import/profile/check-profile.ts';
import { parseProfile, UnreadableProfile } from '../../src/import/profile/read-document.ts';

const HEAD = `name: bank
title: A bank
source: bank
currency: EUR
lender: { externalId: BANK, name: The bank }
`;
const BANK = `${HEAD}columns:
  loanNumber: [id]
  due: [balance]
`;

/** `path: message` for each fault, or each question. */
function told(text: string): readonly string[] {
  const checked = checkProfile(parseProfile(text));
  if ('profile' in checked) return [];
  if ('questions' in checked) return checked.questions.map((q) => `${q.path}: ${q.question}`);
  return checked.faults.map(({ path, message }) => `${path}: ${message}`);
}

describe('a profile', () => {
  it('is YAML with comments, or JSON, also indented with tabs', () => {
    expect(told(`# the bank’s own\n${BANK}`)).to.deep.equal([]);
    expect(told(JSON.stringify(parseProfile(BANK), null, '\t'))).to.deep.equal([]);
  });

  it('with open questions is refused with each of them, and with nothing else', () => {
    const open = `${BANK}dateFormats: "? DD/MM/YYYY or MM/DD/YYYY: every day is below 13"
rateUnit: "? percent or fraction"
emptyMarks: ["?", "? is a hyphen nothing"]
unknown: 1
`;
    expect(told(open)).to.deep.equal([
      'dateFormats: DD/MM/YYYY or MM/DD/YYYY: every day is below 13',
      'rateUnit: percent or fraction',
      'emptyMarks.1: is a hyphen nothing',
    ]);
  });

  for (const [given, text, faults] of [
    [
      'no columns',
      HEAD,
      ['columns: this setting is missing: expected pairs, each in a line of its own'],
    ],
    [
      'numbers where texts belong',
      `${HEAD}columns: { loanNumber: [123], due: [balance], rate: 0.05 }`,
      [
        'columns.loanNumber.0: expected a text, and not the number 123; put it in quotation marks',
        'columns.rate: expected a list, such as [Balance, Amount], and not the number 0.05',
      ],
    ],
    [
      'a column that is no list',
      `${HEAD}columns: { loanNumber: [id], due: balance }`,
      ['columns.due: expected a list, such as [Balance, Amount], and not the text "balance"'],
    ],
    [
      'settings that do not exist',
      `${BANK}  colour: [blue]\ndateFormat: DD.MM.YYYY\n`,
      [
        'columns.colour: there is no such setting; check how it is spelled and where it belongs',
        'dateFormat: there is no such setting; check how it is spelled and where it belongs',
      ],
    ],
    [
      'values that no setting has',
      `${BANK}rateUnit: pct\namountsIn: 100\ndelimiter: ;;\nheaderRow: -1\ntrailingMinus: "yes"\ndateFormats: []\n`,
      [
        'delimiter: expected one character',
        'headerRow: expected 0 or more, and not the number -1',
        'trailingMinus: expected true or false, and not the text "yes"',
        'amountsIn: expected 1 or 1000 or 1000000, and not the number 100',
        'dateFormats: expected at least one entry in the list',
        'rateUnit: expected one of percent, fraction, basis_points, and not the text "pct"',
      ],
    ],
    [
      'a tolerance without quotation marks',
      `${BANK}identities: [{ field: due, is: limit, tolerance: 0.05 }]\n`,
      [
        'identities.0.tolerance: expected a text, and not the number 0.05; put it in quotation marks',
      ],
    ],
    [
      'settings within settings that are wrong',
      `${BANK}sanity: { rate_beyond_100_percent: { above: x }, balance_beyond_limit: never }\n`,
      [
        'sanity.rate_beyond_100_percent.above: expected a number, and not the text "x"',
        'sanity.balance_beyond_limit: expected one of refuse, warn, off or settings, each in a line of its own, and not the text "never"',
      ],
    ],
    ['a list', '- name\n', [': expected settings, each in a line of its own, and not a list']],
    ['nothing', '', [': expected settings, each in a line of its own, and not nothing']],
  ] as const) {
    it(`with ${given} is refused by path`, () => expect(told(text)).to.deep.equal(faults));
  }

  for (const [given, text, fault] of [
    [
      'nothing that identifies a loan',
      `${HEAD}columns: { due: [balance] }`,
      'columns: expected a column for one of loanNumber, facilityNumber, dealNumber',
    ],
    [
      'no outstanding principal',
      `${HEAD}columns: { loanNumber: [id] }`,
      'columns.due: expected a column, or a sum in derive: the outstanding principal',
    ],
    [
      'no currency',
      BANK.replace('currency: EUR\n', ''),
      'currency: expected an ISO 4217 code, or a column for currency',
    ],
    [
      'amounts in another currency than the column names, and none for them',
      `${BANK.replace('currency: EUR\n', '')}  currency: [ccy]\ncurrencyColumn: loan`,
      'currency: expected the currency of the amounts, because the column names the loan’s',
    ],
    [
      'a limit, and no word on what can still be drawn',
      `${BANK}  limit: [limit]`,
      'derive.undisbursed: expected limit - due where the rest of the limit can be drawn, or 0 where it cannot',
    ],
    [
      'what was disbursed, and not what was repaid',
      `${BANK}  disbursed: [d]`,
      'columns: expected disbursed and repaid together, or neither',
    ],
    [
      'what was sold, and not to whom',
      `${BANK}  sold: [s]`,
      'participants: expected who holds what was sold',
    ],
    [
      'rows of lenders, and no column for them',
      `${BANK}rowIs: lender`,
      'columns.lender: expected a column, because each row is the part of a lender',
    ],
    [
      'a unit of shares, and no column for them',
      `${BANK}shareUnit: percent`,
      'shareUnit: expected together with a column for lenderShare',
    ],
    [
      'shares twice',
      `${BANK}  lender: [l]\nrowIs: lender\nshares: { unit: percent, columns: { loanNumber: [id], lender: [l], share: [s] } }`,
      'shares: expected none, because the rows have the shares of lenders',
    ],
    [
      'shares that are amounts, and a tolerance',
      `${BANK}  lender: [l]\n  lenderShare: [s]\nrowIs: lender\nshareUnit: amount\nshareTolerance: "0.01"`,
      'shareTolerance: expected none, because shares are amounts, which add up exactly',
    ],
    [
      'two rates',
      `${BANK}  rate: [r]\n  ratePercent: [p]\nrateUnit: percent`,
      'columns.ratePercent: expected one of rate and ratePercent',
    ],
    [
      'percentages in another unit',
      `${BANK}  ratePercent: [p]\nrateUnit: fraction`,
      'rateUnit: expected percent, because ratePercent has percentages; name the column as rate',
    ],
    [
      'rows of one date, and no date',
      `${BANK}asOfRows: only`,
      'columns.asOf: expected a column, because rows of one date are chosen',
    ],
    [
      'one character for thousands and decimals',
      `${BANK}thousandsSeparator: "."`,
      'thousandsSeparator: expected another character than decimalSeparator',
    ],
    [
      'a mark of what is negative that is a digit',
      `${BANK}negativeMarks: ["1"]`,
      'negativeMarks: expected marks of one meaning and without digits; 1 is not',
    ],
    [
      'years of two digits, and no first year',
      `${BANK}dateFormats: [DD.MM.YY]`,
      'twoDigitYearsFrom: expected the first year that DD.MM.YY can mean, such as 1970',
    ],
  ] as const) {
    it(`with ${given} is refused where the settings do not fit`, () =>
      expect(told(text)).to.deep.equal([fault]));
  }

  for (const [given, text, message] of [
    ['a setting twice', `${BANK}name: other\n`, 'line 9: this setting is there twice; keep one'],
    [
      'a setting twice in JSON',
      '{"name": "a", "name": "b"}',
      'line 1: this setting is there twice',
    ],
    ['a tab', 'columns:\n\tdue: [x]\n', 'line 2: a tab stands where lines are indented'],
    ['an anchor', 'a: &x [1]\n', 'line 1: a profile has no anchors (&) and no aliases (*)'],
    ['an alias', 'a: [*x]\n', 'line 1: a profile has no anchors (&) and no aliases (*)'],
    ['a tag', 'a: !!js/function x\n', 'line 1: a profile has no tags (!)'],
    ['two documents', 'a: 1\n---\nb: 2\n', 'line 2: a second document begins (---)'],
    ['a bracket that is not closed', 'a: [b\n', 'line 2: '],
    ['a quotation mark that is not closed', 'a: "b\n', 'line 2: '],
    ['10,000 brackets', '['.repeat(10_000), 'line 1: lists and settings are nested too deeply'],
    [
      'more than a million characters',
      ' '.repeat(2 ** 20 + 1),
      'expected at most 1048576 characters',
    ],
  ] as const) {
    it(`with ${given} is refused by line`, () => {
      expect(() => parseProfile(text))
        .to.throw(UnreadableProfile)
        .with.property('message')
        .that.satisfies((said: string) => said.startsWith(message));
    });
  }

  it('is read from a path that ends with .yaml, .yml or .json, with a byte order mark too', () => {
    const folder = temporaryDirectory('cls-profile-');
    for (const [name, text] of [
      ['a.yaml', BANK],
      ['a.yml', `\ufeff${BANK}`],
      ['a.json', JSON.stringify(parseProfile(BANK))],
    ] as const) {
      const path = join(folder, name);
      writeFileSync(path, text);
      expect(readProfile(path).columns.due, name).to.deep.equal(['balance']);
    }
  });

  it('with open questions, with faults, or unreadable is refused by the tool with all of them', () => {
    const path = join(temporaryDirectory('cls-profile-'), 'bank.yaml');
    for (const [text, message] of [
      [
        `${BANK}rateUnit: "? percent or fraction"\n`,
        /open questions \(1\)[\s\S]*rateUnit: percent or/,
      ],
      [
        `${BANK}rateUnit: pct\ncountry: Germany\n`,
        /not well formed:\ncountry: .*\nrateUnit: |not well formed:\nrateUnit: .*\ncountry: /,
      ],
      [`${BANK}name: again\n`, /cannot be read: line 9/],
    ] as const) {
      writeFileSync(path, text);
      expect(() => readProfile(path)).to.throw(CommandRefused, message);
    }
    expect(() => readProfile(`${path}x`)).to.throw(
      CommandRefused,
      /path of a \.yaml or \.json file/,
    );
  });
});
