import type { Database } from '@cls/shared/sql/database';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { FEW_DEALS } from '../src/questions/ask/sql/few-deals.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { loadRecords } from './support/generated.ts';
import { aJournal, aLoan, aParty, entry } from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

describeOnEngines('a search', (engine) => {
  let api: TestApi;
  let database: Database;
  const [anna, secret] = [aParty('Émile Ångström'), aParty('Geheim & Co.')];
  const lender = aParty('Lender');
  const [open, hidden] = [aLoan(anna, [lender]), aLoan(secret, [lender], { name: 'Tresor' })];

  const drawn = ({ deal, facility, contract }: typeof open) => {
    const legs = [
      [undefined, '40.00'],
      [lender, '40.00'],
    ] as const;
    return [
      aJournal(deal, 'original_commitment', '2024-02-01', [
        ...entry({ facility }, ['UNFUNDED', 'MEMO'], legs),
      ]),
      aJournal(deal, 'advance', '2024-03-01', [
        ...entry({ facility, contract }, ['PRINCIPAL_CASH', 'CASH_CLEARING'], legs, {
          movement: 'advance',
        }),
        ...entry({ facility }, ['MEMO', 'UNFUNDED'], legs),
      ]),
    ];
  };

  before(async () => {
    Object.assign(open.deal, { dealNumber: 'IBRD70000' });
    api = await startTestApi(engine);
    database = api.database;
    await loadRecords(database, [
      ...[anna, secret, lender, ...open.all, ...hidden.all],
      ...drawn(open),
      ...drawn(hidden),
      aJournal(open.deal, 'terms', '2024-06-01', [], {
        details: [{ party: anna.id, name: 'Ørsted Holding' }],
      }),
    ]);
    const agent = { customer: 'agent', role: 'agent', lenderId: undefined } as const;
    await sqlEntitlements(database).grant({ ...agent, deals: { dealId: open.deal.id } } as never);
  });
  after(() => api?.stop());

  const found = async (query: string, resource = '', customer?: string): Promise<Json> => {
    const claims = customer === undefined ? undefined : viewer(customer);
    const response = await api.get(`/api/v1/cls/balances${resource}?${query}`, claims);
    return (await response.json()) as Json;
  };
  const borrowers = async (query: string) =>
    (await found(query)).data.map(({ borrower }: Json) => borrower.name);

  it('takes letters without accents and case, wherever the word stands in the name', async () => {
    const words = async (text: string) => {
      const [row] = await database.query<{ words: string[] }>(
        'SELECT searched_words($1) AS words',
        [text],
      );
      return row?.words;
    };
    expect(await words('Société d’Énergie, S.A.')).to.deep.equal([
      'energie',
      'societe',
      'a',
      'd',
      's',
    ]);
    expect(await words('ŁÓDŹ Straße ÆØÅ İstanbul')).to.deep.equal([
      'istanbul',
      'strasse',
      'aeoa',
      'lodz',
    ]);
    expect(await words('ΑΘΉΝΑΣ Київ «Ёлка» ﬁn')).to.deep.equal(['αθηνασ', 'елка', 'киів', 'fin']);
    expect(await words('IBRD-8123_4/x 東京')).to.deep.equal(['8123', 'ibrd', '東京', '4', 'x']);
    expect(await words('IBRD70000 Straße7a')).to.deep.equal(['strasse', '70000', 'ibrd', '7a']);
    expect(await words(' – ')).to.deep.equal([]);
    expect((await words('é'.repeat(5_000)))?.[0]).to.have.lengthOf(200);
  });

  it('takes a plain name as it takes one with accents', async () => {
    const ascii = String.fromCharCode(...Array.from({ length: 126 }, (_, n) => n + 1));
    const [row] = await database.query<{ plain: string; other: string }>(
      `SELECT string_agg(folded('A' || c || 'b'), '|' ORDER BY n) || '|' AS plain,
         replace(string_agg(folded('A' || c || 'b é'), '|' ORDER BY n) || '|', ' e|', '|') AS other
       FROM unnest(string_to_array($1, NULL)) WITH ORDINALITY AS t (c, n)`,
      [ascii],
    );
    expect(row?.plain).to.equal(row?.other).and.to.include('|a 7b|').and.to.include('|azb|');
  });

  it('finds a name on the dates when it was the name', async () => {
    expect(await borrowers('asOf=2024-05-01&q=ANGSTROM')).to.deep.equal(['Émile Ångström']);
    expect(await borrowers('asOf=2024-06-01&q=angstrom')).to.deep.equal([]);
    expect(await borrowers('asOf=2024-06-01&q=orst%20holding')).to.deep.equal(['Ørsted Holding']);
    expect(await borrowers('asOf=2024-05-01&q=orsted')).to.deep.equal([]);
    expect(await borrowers('asOf=2024-05-01&q=emile%20tresor')).to.deep.equal([]);
  });

  it('finds a number without the letters before it, and apart from them', async () => {
    for (const q of ['70000', 'IBRD%2070000', 'ibrd70000', 'IBRD7']) {
      const { data } = await found(`q=${q}`);
      expect(
        data.map(({ deal }: Json) => deal.dealNumber),
        q,
      ).to.deep.equal(['IBRD70000']);
    }
    expect((await found('q=80000')).data).to.deep.equal([]);
  });

  it('finds movements by the deal, borrower and facility that they are of', async () => {
    const names = async (q: string) => {
      const { data } = await found(`asOf=2024-05-01&q=${q}`, '/principal/movements');
      return [...new Set(data.map(({ dealId }: Json) => dealId))];
    };
    expect(await names('tresor')).to.deep.equal([hidden.deal.id]);
    expect(await names('angstrom')).to.deep.equal([open.deal.id]);
    expect(await names('term')).to.deep.equal([open.deal.id]);
    expect(await names('nobody')).to.deep.equal([]);
  });

  it('tells nothing of deals that were not granted', async () => {
    for (const q of ['geheim', 'tresor', hidden.deal.dealNumber]) {
      for (const resource of ['', '/principal']) {
        const page = await found(`q=${q}&include=totals`, resource, 'agent');
        const nothing = await found('q=nobodyatall&include=totals', resource, 'agent');
        expect({ ...page, meta: 0 }, q).to.deep.equal({ ...nothing, meta: 0 });
      }
    }
    expect((await found('q=orsted', '', 'agent')).data).to.have.lengthOf(1);
    const setup = `SET LOCAL ROLE cls_reader; SET LOCAL cls.full_control = 'off';
      SET LOCAL cls.customer = 'agent';`;
    const [seen] = await database.transaction(
      (inside) =>
        inside.query<{ deals: number; words: string[] }>(
          `SELECT (SELECT count(DISTINCT deal_key)::int FROM deal_word) AS deals,
             (SELECT array_agg(DISTINCT word ORDER BY word) FROM party_word) AS words`,
        ),
      { setup },
    );
    expect(seen?.deals).to.equal(1);
    expect(seen?.words).to.deep.equal(['angstrom', 'emile', 'holding', 'lender', 'orsted']);
  });

  it('finds in all deals that were granted, in any order, and movements of any of them', async () => {
    const many = aParty('Zulu Shipping');
    const loans = Array.from({ length: FEW_DEALS.toSort + 10 }, () => aLoan(many, [lender]));
    await loadRecords(database, [
      many,
      ...loans.flatMap(({ all }) => all),
      ...loans.flatMap(drawn),
    ]);
    const grant = { customer: 'fleet', role: 'agent', lenderId: undefined } as const;
    await sqlEntitlements(database).grant({ ...grant, deals: { borrowerId: many.id } } as never);
    for (const { deal } of [loans[0], loans.at(-1)].flatMap((loan) => loan ?? [])) {
      for (const order of ['', '&sort=outstanding', '&sort=-borrower', '&sort=interestAccrued']) {
        const { data } = await found(`q=zulu%20${deal.dealNumber}${order}`, '', 'fleet');
        expect(
          data.map((item: Json) => item.deal.id),
          order,
        ).to.deep.equal([deal.id]);
      }
      for (const limit of [10, 1000]) {
        const question = `q=${deal.dealNumber}&limit=${limit}`;
        const { data } = await found(question, '/principal/movements', 'fleet');
        expect([...new Set(data.map(({ dealId }: Json) => dealId))], question).to.deep.equal([
          deal.id,
        ]);
      }
    }
  });

  it('is refused without two letters or digits together, or with what nobody types', async () => {
    for (const q of ['a', '', '--', 'a%20b', 'ab%00', `${'a'.repeat(101)}`]) {
      const { status, errors } = await found(`q=${q}`);
      expect([status, errors?.[0].parameter], q).to.deep.equal([400, 'q']);
    }
  });
});
