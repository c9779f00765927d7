import { expect } from 'chai';
import fc from 'fast-check';
import { labelsOf } from '../src/pages/cells.ts';

describe('the names beside the cells of a list', () => {
  it('stay strings of CSS within their element, whatever they are', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), (label) => {
        const rule = labelsOf([{ id: 'deals', columns: [{ label: 'Deal' }, { label }] }]);
        const [, string = 'none'] =
          /^#deals~\* td:nth-child\(2\)\{--label:"((?:[^"\\<\n]|\\[0-9a-f]+ )*)"\}$/u.exec(rule) ??
          [];
        const read = string.replace(/\\([0-9a-f]+) /g, (_, code: string) =>
          String.fromCodePoint(Number.parseInt(code, 16)),
        );
        expect(read).to.equal(label);
      }),
    );
  });

  it('are said once for a column, and not for the first, which names the row', () => {
    const columns = ['Deal', 'Borrower', 'Ccy'].map((label) => ({ label }));
    const lists = [
      { id: 'a', columns },
      { id: 'b', columns },
    ];
    expect(labelsOf(lists).match(/--label:"[^"]*"/g)).to.deep.equal([
      ...['--label:"Borrower"', '--label:"Ccy"'],
      ...['--label:"Borrower"', '--label:"Ccy"'],
    ]);
  });
});
