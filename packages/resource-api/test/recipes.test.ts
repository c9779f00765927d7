import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const src = resolve(import.meta.dirname, '../../src');
const FOLDERS = ['questions', 'versions/v1'];

const TYPES = 'questions/ask/balance-store.ts';
const FILTER = [TYPES, 'questions/ask/sql/filter-sql.ts', 'versions/v1/parameters.ts'];
const FIELD = [
  TYPES,
  'questions/page/sql/page-rows.ts',
  ...['contract-schemas', 'present', 'sample'].map((name) => `versions/v1/${name}.ts`),
];

/** The sources of the balance story that have a word. */
function filesWith(word: string): readonly string[] {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(src, folder), { encoding: 'utf8', recursive: true }).map((name) =>
      join(folder, name),
    ),
  );
  const pattern = new RegExp(`\\b${word}\\b`);
  return files
    .filter((file) => file.endsWith('.ts') && pattern.test(readFileSync(join(src, file), 'utf8')))
    .sort();
}

/** CONTRIBUTING.md says which files these are. */
describe('the files that a change touches', () => {
  for (const filter of ['borrowerIds', 'pastDueAges']) {
    it(`are three for a filter by a list: ${filter}`, () => {
      expect(filesWith(filter)).to.deep.equal(FILTER);
    });
  }
  for (const filter of ['minOutstandingMinor', 'maturityFrom', 'maturityTo']) {
    it(`are four for a filter by one value: ${filter}`, () => {
      expect(filesWith(filter)).to.deep.equal([...FILTER, 'versions/v1/query.ts']);
    });
  }
  it('are five for a field of an item', () => {
    expect(filesWith('lastEffectiveDate')).to.deep.equal(FIELD);
  });
});
