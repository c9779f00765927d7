import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { LookAlikes } from '../../src/import/look-alikes.ts';
import { partyRef } from '../../src/import/statement/stated-party.ts';
import { importTape, syndicateText } from '../support/lenders-statement.ts';

const party = (name: string, countryCode = '') => ({
  ref: partyRef(name, countryCode),
  name,
  countryCode,
});

function isAlike(one: string, other: string): boolean {
  const names = new LookAlikes();
  names.add(party(one), 2);
  return names.add(party(other), 3).length > 0;
}

describe('two names of one statement', () => {
  for (const [one, other] of [
    ['Müller GmbH', 'MULLER G.m.b.H.'],
    ['Müller GmbH', 'Mueller GmbH'],
    ['Strauß & Söhne KG', 'Strauss und Soehne KG'],
    ['Acme Ltd', 'Acme Limited'],
    ['Acme, Inc.', 'Acme Incorporated'],
    ['Fundación Río Claro', 'Fundacion Rio Claro'],
    ['Crédit Agricole S.A.', 'Credit Agricole'],
    ['Coca-Cola', 'Coca Cola'],
    ['O’Brien S. A.', "O'Brien SA"],
  ] as const) {
    it(`look alike: ${one}, ${other}`, () => {
      expect(isAlike(one, other)).to.equal(true);
      expect(isAlike(other, one)).to.equal(true);
    });
  }

  for (const [one, other] of [
    ['Müller GmbH', 'Müller AG'],
    ['Alpha Bank', 'Beta Bank'],
    ['Acme 1 Ltd', 'Acme 2 Ltd'],
    ['Banco de Chile', 'Banco de China'],
    ['Ltd', 'Limited'],
  ] as const) {
    it(`do not look alike: ${one}, ${other}`, () => expect(isAlike(one, other)).to.equal(false));
  }

  it('are one party, and no question, where only case, spaces or the Unicode form differ', () => {
    expect(isAlike('Fundación', 'FUNDACIÓN'.normalize('NFD'))).to.equal(false);
  });

  it('are told for the first twenty of names that all look alike', () => {
    const names = new LookAlikes();
    const told = Array.from({ length: 1_000 }, (_, at) =>
      names.add(party(`Acme${'.'.repeat(at)}`), at + 2),
    );
    expect(told.flat()).to.have.length((20 * 19) / 2);
  });

  it('are no question where the sender has a number for each, or in two countries', () => {
    const names = new LookAlikes();
    const numbered = (number: string, name: string) => ({
      ...party(name),
      ref: `party:#${number}`,
    });
    expect(names.add(numbered('1', 'Acme Ltd'), 2)).to.deep.equal([]);
    expect(names.add(numbered('2', 'Acme Limited'), 3)).to.deep.equal([]);
    expect(names.add(party('Ministry of Finance', 'CO'), 4)).to.deep.equal([]);
    expect(names.add(party('Ministry-of-Finance', 'PE'), 5)).to.deep.equal([]);
  });
});

describeOnDatabase('names that look alike', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  it('are told as a warning with both names, also beside those of the book', async () => {
    const first = await importTape(
      database,
      syndicateText(
        'L1;Müller GmbH;Alpha Bank;EUR;5.00',
        'L2;Acme Ltd;Beta Bank;EUR;5.00',
        'L3;ACME Limited;Beta Bank AG;EUR;5.00',
      ),
      '2025-03-31',
    );
    expect([first.outcome, ...first.sanity]).to.deep.equal([
      'applied',
      {
        check: 'names_look_alike',
        message: 'two names look alike and are not the same',
        severity: 'warning',
        count: 2,
        rows: [4, 4],
        examples: [
          '“ACME Limited” in row 4, “Acme Ltd” in row 3',
          '“Beta Bank AG” in row 4, “Beta Bank” in row 3',
        ],
      },
    ]);
    const later = await importTape(
      database,
      syndicateText('L1;Mueller G.m.b.H.;ALPHA BANK;EUR;5.00', 'L2;acme  ltd;Beta Bank;EUR;5.00'),
      '2025-04-30',
    );
    expect(later.sanity[0]?.examples).to.have.members([
      '“acme  ltd” in row 3, “ACME Limited” in the book',
      '“Mueller G.m.b.H.” in row 2, “Müller GmbH” in the book',
      '“Beta Bank” in row 3, “Beta Bank AG” in the book',
    ]);
  });
});
