import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { type Cell, workbook } from '../src/web/workbook.ts';

async function sheetOf(head: readonly string[], rows: readonly (readonly Cell[])[]) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of workbook('Deals', head, each(rows))) chunks.push(chunk);
  const parts = unzipSync(Buffer.concat(chunks));
  return {
    names: Object.keys(parts),
    sheet: strFromU8(parts['xl/worksheets/sheet1.xml'] as Uint8Array),
  };
}

async function* each<T>(all: readonly T[]) {
  yield* all;
}

describe('a workbook', () => {
  it('has the parts that a spreadsheet opens, and a head that stays in sight', async () => {
    const { names, sheet } = await sheetOf(['Deal'], []);
    expect(names).to.have.members([
      ...['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/_rels/workbook.xml.rels'],
      ...['xl/styles.xml', 'xl/worksheets/sheet1.xml'],
    ]);
    expect(sheet).to.include('state="frozen"').and.include('>Deal</t>');
  });

  it('has names as they are written, and no formula of them', async () => {
    const { sheet } = await sheetOf(['Deal'], [['=1+1'], ['A & <B> "C"\u0007']]);
    expect(sheet).to.include('>=1+1</t>').and.include('>A &amp; &lt;B&gt; &quot;C&quot;</t>');
    expect(sheet).not.to.include('<f>');
  });

  it('has amounts as numbers, each with the digits of its currency', async () => {
    const amounts = ['-1234.50', '7', '0.123'].map((amount) => ({ amount }));
    const { sheet } = await sheetOf(['a', 'b', 'c'], [amounts]);
    expect(sheet).to.include(
      '<c s="4"><v>-1234.50</v></c><c s="2"><v>7</v></c><c s="5"><v>0.123</v></c>',
    );
  });
});
