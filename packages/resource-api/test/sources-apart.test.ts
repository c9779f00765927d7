/** What the statements of one customer tell of another customer's, and change of them: nothing. */
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import type { ImportProfileDocument } from '../src/import/profile/profile.ts';
import { sqlPartyNames } from '../src/parties/sql-party-names.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { date } from './support/book.ts';
import { importTape, SYNDICATE, syndicateText } from './support/lenders-statement.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

/** Both customers call their profile by the same name. */
const profileOf = (customer: string, other: object = {}): ImportProfileDocument => ({
  ...SYNDICATE,
  ...{ name: 'tape', source: customer, country: 'DE', ...other },
});

describeOnDatabase('statements of two customers', (engine) => {
  let api: TestApi;
  beforeEach(async () => {
    api = await startTestApi(engine);
  });
  afterEach(() => api?.stop());

  const post = (customer: string, text: string, asOf: string, other?: object, apply = true) =>
    importTape(api.database, text, asOf, {
      ...{ document: profileOf(customer, other), apply, accept: { many_loans_vanish: 'a test' } },
      actor: { name: `svc_${customer}`, customer },
    });
  const ask = async (path: string, customer?: string): Promise<Json> => {
    const answer = await api.get(`/api/v1/cls/${path}`, customer ? viewer(customer) : undefined);
    return ((await answer.json()) as Json).data;
  };
  const rename = async (party: string, name: string) => {
    const change = { party, name, from: date('2025-02-01'), reason: 'as registered' };
    expect((await sqlPartyNames(api.database).rename(change, true)).outcome).to.equal('renamed');
  };

  describe('that name parties alike', () => {
    const COLUMNS = { guarantor: ['Guarantor'], agent: ['Agent'] };
    const PARTIES = { columns: { ...SYNDICATE.columns, ...COLUMNS } };
    const OLD = 'Old AG;Old Kin;Old Agent;Old Fund';
    const NEW = 'New AG;New Kin;New Agent;New Fund';
    const text = (...loans: readonly (readonly [number: string, names: string])[]) =>
      [
        'Loan;Borrower;Guarantor;Agent;Lender;Currency;Balance',
        ...loans.map(([number, names]) => `${number};${names};EUR;100.00`),
        '',
      ].join('\n');
    /** Ids of borrower, guarantor, agent and lender. */
    const partiesOf = async (number: string, source: string): Promise<readonly string[]> => {
      const [item] = await ask(`balances?dealId=ext:${source}:${number}&expand=lenders`);
      const { borrower, guarantor, agent } = await ask(`deals/${item.deal.id}`);
      const [{ lender }] = item.lenders;
      return [borrower, guarantor, agent, lender].map(({ id }) => id);
    };
    let parties: readonly string[];
    beforeEach(async () => {
      await post('alpha', text(['A1', OLD]), '2025-01-31', PARTIES);
      parties = await partiesOf('A1', 'alpha');
      for (const [index, name] of NEW.split(';').entries())
        await rename(parties[index] ?? '', name);
    });

    it('have parties of their own, also where another’s were renamed to the same name', async () => {
      const entitlements = sqlEntitlements(api.database);
      const [borrowerId = '', , , lenderId = ''] = parties;
      const granted = { customer: 'kestrel', deals: { borrowerId } } as const;
      await entitlements.grant({ ...granted, role: 'agent', lenderId: undefined });
      const fund = { customer: 'fund', role: 'lender', deals: { allDeals: true } } as const;
      await entitlements.grant({ ...fund, lenderId } as never);

      expect((await post('beta', text(['B1', NEW]), '2025-03-31', PARTIES)).outcome).to.equal(
        'applied',
      );
      const seen = await ask('balances', 'kestrel');
      expect(seen.map(({ deal }: Json) => deal.dealNumber)).to.deep.equal(['A1']);
      const own = await ask('balances?expand=lenders', 'fund');
      const held = own.filter(({ lenders }: Json) => lenders.length > 0);
      expect(held.map(({ deal }: Json) => deal.dealNumber)).to.deep.equal(['A1']);
      expect(await partiesOf('B1', 'beta')).not.to.include.oneOf([...parties]);
    });

    it('find the renamed parties of their own source by both names', async () => {
      const april = text(['A1', NEW], ['A2', NEW], ['A3', OLD]);
      const report = await post('alpha', april, '2025-04-30', PARTIES);
      expect(report.changes.map(({ kind }) => kind)).to.deep.equal(['new_loan']);
      for (const number of ['A1', 'A2', 'A3']) {
        expect(await partiesOf(number, 'alpha'), number).to.deep.equal(parties);
      }
    });
  });

  it('know a borrower with a number by the number, and not by the name of another that was renamed', async () => {
    const numbered = { columns: { ...SYNDICATE.columns, borrowerNumber: ['Lender'] } };
    const { lender: _, ...columns } = numbered.columns;
    const plain = { columns, rowIs: 'loan' };
    const rows = ['N1;Old AG;1;EUR;1.00', 'N2;New AG;2;EUR;1.00'] as const;
    await post('alpha', syndicateText(rows[0]), '2025-01-31', plain);
    const borrowers = async () => (await ask('balances')).map(({ borrower }: Json) => borrower.id);
    await rename((await borrowers())[0], 'New AG');
    await post('alpha', syndicateText(...rows), '2025-03-31', plain);
    expect(new Set(await borrowers())).to.have.property('size', 2);
  });

  describe('with the same bytes', () => {
    const HEADER = 'Deal;Facility;Loan;Whole;Borrower;Currency;Balance';
    const FILE = `${HEADER}\nA;B;C;A/B/C;Old AG;EUR;100.00\n`;
    const { lender: _lender, ...common } = SYNDICATE.columns;
    const numbers = (columns: object) => ({ rowIs: 'loan', columns: { ...common, ...columns } });
    const ALPHA = numbers({ dealNumber: ['Deal'], facilityNumber: ['Facility'] });
    const BETA = numbers({ loanNumber: ['Whole'] });
    let first: string | undefined;
    beforeEach(async () => {
      first = (await post('alpha', FILE, '2025-03-31', ALPHA)).importId;
      expect(first).to.be.a('string');
    });

    it('are each applied, and applied again only where the source is the same', async () => {
      const { outcome, importId } = await post('beta', FILE, '2025-03-31', BETA);
      expect(outcome).to.equal('applied');
      expect(importId).to.be.a('string').and.not.equal(first);
      const deals = await ask('balances');
      expect(deals.map(({ deal }: Json) => deal.dealNumber)).to.deep.equal(['A', 'A/B/C']);
      const again = await post('alpha', FILE, '2025-03-31', ALPHA);
      expect(again).to.deep.include({ outcome: 'applied_before', importId: first });
    });

    it('are refused where the loans are another’s, without a word of the other’s import', async () => {
      for (const asOf of ['2025-03-31', '2025-04-30']) {
        const report = await post('beta', FILE, asOf, ALPHA, false);
        expect(report.faults.map(({ code }) => code)).to.deep.equal(['number_from_elsewhere']);
        expect(report.sanity.map(({ check }) => check)).to.deep.equal([]);
        expect(JSON.stringify(report.faults)).not.to.match(/alpha|imp_/);
      }
    });
  });
});
