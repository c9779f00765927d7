/** docs/reference/journal-file.md and its example are as the format is. */
import { readFileSync } from 'node:fs';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { z } from 'zod';
import { exportJournals } from '../src/journal-file/export-journals.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import { RECORD } from '../src/journal-file/record.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { linesFrom } from './support/journal-lines.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const DOCS = new URL('../../../../docs/', import.meta.url);
const page = readFileSync(new URL('reference/journal-file.md', DOCS), 'utf8');
const example = readFileSync(new URL('start/examples/book.ndjson', DOCS), 'utf8');
const lines = example.trimEnd().split('\n');

/** Every field name and every word of a closed list in a JSON Schema. */
function wordsOf(schema: Json): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = [...Object.keys(schema.properties ?? {}), ...(schema.enum ?? []), schema.const];
  const words = own.filter((word) => typeof word === 'string');
  return [...words, ...Object.values(schema).flatMap(wordsOf)];
}

describe('the page about the journal file', () => {
  it('names every record, field and value of the format', () => {
    const words = wordsOf(z.toJSONSchema(RECORD, { io: 'input', unrepresentable: 'any' }));
    expect(words).to.include.members(['party', 'settledThrough', 'fee_capitalization']);
    const missing = words.filter((word) => !new RegExp(`[\`"]${word}[\`"]`).test(page));
    expect([...new Set(missing)]).to.deep.equal([]);
  });

  it('shows a line of the example', () => {
    const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    expect(lines).to.include(JSON.stringify(JSON.parse(shown)));
  });
});

describeOnDatabase('the example of a journal file', (engine) => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine);
    const store = sqlJournals(api.database);
    const report = await importJournals(store, { lines: linesFrom(lines), apply: true });
    expect([report.outcome, report.faults]).to.deep.equal(['applied', []]);
  });
  after(() => api?.stop());

  const facility = async (asOf: string): Promise<Json> => {
    const response = await api.get(`/api/v1/cls/balances?asOf=${asOf}`);
    return ((await response.json()) as Json).data[0];
  };

  it('is exported as it was imported, to the byte', async () => {
    let text = '';
    await exportJournals(sqlJournals(api.database), async (part) => {
      text += part;
    });
    expect(text).to.equal(example);
    const { checks } = await sqlReconciler(api.database).reconcile(2);
    expect(checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
  });

  it('answers the amounts and names that the page says', async () => {
    const item = await facility('2024-06-30');
    const amounts = [...page.matchAll(/^\| `(global\.[a-z.]+)` \| (\d+\.\d\d) \|$/gm)];
    expect(amounts.length).to.equal(6);
    for (const [, path = '', amount] of amounts) {
      const value = path.split('.').reduce((part, field) => part[field], item);
      expect(value, path).to.equal(amount);
    }
    expect(item.deal.name).to.equal('Harbour Logistics 2024, as amended');
    expect((await facility('2024-05-31')).deal.name).to.equal('Harbour Logistics 2024');
  });
});
