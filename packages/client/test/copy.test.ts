import { Random } from '@cls/book-generator/random';
import { expect } from 'chai';
import type { Copy } from '../src/copy.ts';
import { failure } from './support/failure.ts';
import { type Loan, type Services, sharedServices, watchedFetch } from './support/services.ts';

const QUESTIONS = [
  { level: 'contract', includeZero: true },
  { level: 'position', limit: 3 },
  { level: 'deal', expand: ['contracts'] },
  { level: 'facility', asOf: '2025-06-30', fields: ['deal', 'share'] },
] as const;

describe('the client’s copy', () => {
  let services: Services;
  before(async () => {
    services = await sharedServices();
    await services.grant();
    await services.lend('1.00', '2025-01-01');
  });

  it('is after any history what a full read gives', async function () {
    this.timeout(120_000);
    const seed = Number(process.env['COPY_SEED'] ?? 20_250_401);
    const random = new Random(seed);
    const below = (limit: number) => random.between(0, limit - 1);
    const { balances, principal } = services.client();
    const resources = { balances, principal: principal as unknown as typeof balances };
    const amount = () => `${1 + below(900)}.0${below(10)}`;
    const day = () => `2025-0${1 + below(9)}-1${below(10)}`;
    const repayable: Loan[] = [];
    const kept: Loan[] = [];
    const anyLoan = () => kept[below(kept.length)];
    const operations = [
      async () => {
        kept.push(await services.lend(amount(), day()));
      },
      async () => {
        const loan = anyLoan();
        if (loan !== undefined) await services.draw(loan, amount(), day());
      },
      async () => {
        repayable.push(await services.lend('70.00', '2025-02-01'));
      },
      async () => {
        // What owes nothing is gone from some of the answers.
        const loan = repayable.pop();
        if (loan !== undefined) await services.draw(loan, '-70.00', '2025-03-01');
      },
      () => services.grant(),
    ];
    const copies = new Map<string, Copy<'/cls/balances'>>();
    const lines = ({ items }: { items: ReadonlyMap<string, unknown> }) =>
      [...items.values()].map((item) => JSON.stringify(item)).sort();
    for (let step = 0; step < 14; step += 1) {
      await operations[step < operations.length ? step : below(operations.length)]?.();
      for (const [name, resource] of Object.entries(resources)) {
        const question = QUESTIONS[below(QUESTIONS.length)] ?? {};
        const key = `${name} ${JSON.stringify(question)}`;
        const copy = await resource.refresh(question, copies.get(key) as never);
        const whole = await resource.refresh(question);
        expect(lines(copy), `seed ${seed}, step ${step}: ${key}`).to.deep.equal(lines(whole));
        expect(copy.asOf).to.equal(whole.asOf);
        copies.set(key, copy);
      }
    }
    expect(copies.size).to.be.greaterThan(3);
  });

  it('is brought up to date by what differs, and begun anew when grants have changed', async () => {
    const { fetch, sent } = watchedFetch();
    const { balances } = services.client({ fetch });
    const question = { level: 'contract' } as const;
    const copy = await balances.refresh(question);
    const before = [...copy.items.keys()];
    const loan = await services.lend('12.00');
    const next = await balances.refresh(question, copy);
    expect(next.items.size).to.equal(before.length + 1);
    expect(copy.items.size, 'the older copy is as it was').to.equal(before.length);
    expect(
      [...next.items.values()].some(({ contract }) => contract?.id === loan.contract.id),
    ).to.equal(true);
    expect(sent.at(-1)?.searchParams.get('updatedSince')).to.equal(copy.knownAt);
    expect(sent.at(-1)?.searchParams.get('sinceAsOf')).to.equal(copy.asOf);
    await services.draw(loan, '-12.00', '2025-01-31');
    const repaid = await balances.refresh(question, next);
    expect([...repaid.items.keys()]).to.deep.equal(before);
    await services.grant();
    const anew = await balances.refresh(question, repaid);
    expect(anew.items).to.deep.equal(repaid.items);
    expect(sent.at(-2)?.searchParams.get('updatedSince')).to.equal(repaid.knownAt);
    expect(sent.at(-1)?.searchParams.has('updatedSince')).to.equal(false);
  });

  it('is of no question that has no delta: its second refresh would be refused', async () => {
    const { balances } = services.client();
    const question = { level: 'contract', expand: ['terms'] } as const;
    // @ts-expect-error `terms` and `rates` have none.
    const copy = await balances.refresh(question);
    // @ts-expect-error
    const refused = await failure(balances.refresh(question, copy));
    expect(refused).to.include({ status: 400, code: 'invalid_parameter' });
  });

  it('has in an export the same items, and names those that are gone', async () => {
    const { balances } = services.client();
    const question = { level: 'contract', asOf: '2025-09-30' } as const;
    const copy = await balances.refresh(question);
    const loan = services.loans[0];
    if (loan === undefined || copy.knownAt === null) throw new Error('an empty book');
    await services.draw(loan, '1.00', '2025-01-31');
    const lines = balances.export({ ...question, updatedSince: copy.knownAt });
    const ids: string[] = [];
    for await (const line of lines) ids.push(`${line.object} ${line.id}`);
    expect(ids).to.have.length(1);
    expect(lines.summary).to.include({ count: 1, removed: 0 });
  });
});
