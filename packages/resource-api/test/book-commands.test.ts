import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { startTool, type Tool } from './support/tool.ts';

describe('cls-api, on a generated book', () => {
  const tools: Tool[] = [];
  const started = async () => {
    const one = await startTool();
    tools.push(one);
    return one;
  };
  let tool: Tool['run'];
  let json: Tool['json'];
  before(async () => {
    ({ run: tool, json } = await started());
  });
  after(() => Promise.all(tools.map((one) => one.stop())));

  const file = (name: string) => join(temporaryDirectory('cls-journals-'), name);
  const generate = ['generate', '--contracts', '6', '--years', '1', '--seed', '5'];

  it('generates nothing without --apply, and with it a book with every known answer', async () => {
    const dry = await json(...generate);
    const done = await json(...generate, '--apply');
    expect([dry.outcome, done.outcome]).to.deep.equal(['valid', 'applied']);
    expect({ ...dry, outcome: '' }).to.deep.equal({ ...done, outcome: '' });
    expect(done.compared).to.be.greaterThan(0);
    const again = await tool(...generate, '--apply');
    expect([again.code, again.stderr]).to.deep.equal([
      1,
      'the book of this seed is there already\n',
    ]);
  });

  it('splits imported deals over lenders, whose shares add up to the imported amounts', async () => {
    expect((await tool('generate', '--split-imported')).stderr).to.include('no imported deal');
    const { run: bank, json: bankJson } = await started();
    const loans = join(temporaryDirectory('cls-import-'), 'statement.csv');
    writeFileSync(loans, firstLoans(40));
    expect((await bank('import', loans, '--apply', '--without-totals', 'test')).stderr).to.equal(
      '',
    );
    const split = await bankJson('generate', '--split-imported', '--apply');
    expect([split.outcome, split.compared]).to.deep.equal(['applied', 40]);
    expect((await bank('reconcile')).code).to.equal(0);
  });

  it('exports a journal file, also to a pipe, that another book takes, compressed too', async () => {
    const plain = file('book.ndjson');
    expect((await tool('journals', 'export', '--out', plain)).code).to.equal(0);
    const text = readFileSync(plain, 'utf8');
    expect((await tool('journals', 'export')).stdout).to.equal(text);
    const packed = file('book.ndjson.gz');
    writeFileSync(packed, gzipSync(text.replaceAll('\n', '\r\n')));
    const { run: other, json: otherJson } = await started();
    expect((await otherJson('journals', 'import', packed)).outcome).to.equal('valid');
    expect((await other('journals', 'import', packed, '--apply')).code).to.equal(0);
    expect((await other('journals', 'export')).stdout).to.equal(text);
  });

  it('refuses a journal file that cannot be read, and says why', async () => {
    const cut = file('cut.ndjson.gz');
    writeFileSync(cut, gzipSync('{"object":"party"}\n'.repeat(9_999)).subarray(0, 60));
    const noText = file('latin1.ndjson');
    writeFileSync(noText, Buffer.from([0x7b, 0xe9, 0x7d]));
    const missing = file('missing.ndjson');
    for (const [name, sentence] of [
      [cut, `${cut} cannot be read (Z_BUF_ERROR)`],
      [
        noText,
        'line 1 of the file is not UTF-8: it seems to be Windows-1252 or ISO 8859-1; save the file as UTF-8',
      ],
      [missing, `${missing} cannot be read (ENOENT)`],
    ] as const) {
      const { code, stderr } = await tool('journals', 'import', name);
      expect([code, stderr]).to.deep.equal([1, `${sentence}\n`]);
    }
  });

  it('refuses a file that was cut with exit code 1, by --json as a document', async () => {
    const cut = file('cut.ndjson');
    writeFileSync(cut, '{"object":"party"}\n{"object":');
    const refused = await tool('journals', 'import', cut, '--apply', '--json');
    expect(refused.code).to.equal(1);
    const { faults } = JSON.parse(refused.stdout).details;
    const found = faults.map(({ line, code }: { line: number; code: string }) => [line, code]);
    expect(found[0]).to.deep.equal([1, 'invalid_record']);
    expect(found.slice(-2)).to.deep.equal([
      [2, 'malformed_json'],
      [3, 'cut'],
    ]);
  });

  it('reconciles the book, and ends with exit code 0 while all holds', async () => {
    const { code, stdout } = await tool('reconcile', '--points', '2', '--at', '2015-12-31:999999');
    expect(code).to.equal(0);
    expect(stdout).to.include('; replayed: 2015-12-31 known at ').and.not.include('BROKEN');
  });

  it('reconciles some deals of the book, and says what it did not check', async () => {
    const whole = await json('reconcile');
    expect([whole.deals, whole.notChecked]).to.deep.equal([null, []]);
    const part = await json('reconcile', '--since', '2020-01-01');
    const [deal] = part.deals;
    const { stdout } = await tool('reconcile', '--deals', deal);
    expect(stdout).to.include('\nchecked: 1 deal\nnot checked, because it is of the whole book: ');
    for (const { invariant, scope } of whole.checks) {
      expect(part.notChecked.includes(invariant), invariant).to.equal(scope === 'book');
    }
    const unknown = await tool('reconcile', '--deals', `${deal},deal_other`);
    expect([unknown.code, unknown.stderr]).to.deep.equal([1, 'not in the book: deal_other\n']);
  });

  it('closes the books, opens them again, and keeps every decision', async () => {
    const close = (date: string) => tool('periods', 'close', '--through', date, '--reason', 'test');
    expect((await close('2015-12-31')).stdout).to.equal('closed through 2015-12-31\n');
    expect(await close('2015-06-30')).to.include({
      code: 1,
      stderr: 'the books are closed through 2015-12-31 already\n',
    });
    const late = await tool('generate', '--contracts', '2', '--years', '1', '--seed', '9');
    expect([late.code, late.stderr]).to.deep.equal([
      1,
      'the books are closed through 2015-12-31\n',
    ]);
    const reopen = (...words: string[]) => tool('periods', 'reopen', '--reason', 'late', ...words);
    expect((await reopen('--from', '2015-12-01')).stdout).to.equal('closed through 2015-11-30\n');
    expect((await reopen()).stdout).to.equal('every period is open\n');
    expect((await reopen()).stderr).to.equal('no period is closed\n');
    const list = await json('periods', 'list');
    expect(list.map(({ through }: { through: string }) => through)).to.deep.equal([
      null,
      '2015-11-30',
      '2015-12-31',
    ]);
  });

  it('keeps exchange rates', async () => {
    const add = (rate: string, to = 'USD') =>
      tool(
        'fx',
        'add',
        '--date',
        '2015-03-31',
        '--from',
        'EUR',
        '--to',
        to,
        '--rate',
        rate,
        '--source',
        'ECB',
      );
    expect((await add('1.0843')).stdout).to.equal('1 EUR is 1.0843 USD on 2015-03-31\n');
    expect((await add('1.0759')).code).to.equal(0);
    const rates = await json('fx', 'list', '--from', 'EUR');
    expect(rates.map(({ rate }: { rate: string }) => rate)).to.deep.equal(['1.0759', '1.0843']);
    for (const [rate, to] of [
      ['0', 'USD'],
      ['-1', 'USD'],
      ['1,08', 'USD'],
      ['1', 'EUR'],
      ['1', 'XXX'],
    ] as const) {
      expect((await add(rate, to)).code, `${rate} ${to}`).to.equal(2);
    }
  });

  for (const words of [
    ['generate', '--contracts', '0'],
    ['generate', '--years', '60'],
    ['generate', '--from', '2015-02-30'],
    ['generate', '--from', '2999-01-01'],
    ['journals', 'export', '--from-seq', '0'],
    ['periods', 'close', '--through', '2999-01-01', '--reason', 'x'],
    ['periods', 'close', '--through', '2015-01-01', '--reason', ' '],
    ['reconcile', '--points', '1000'],
    ['reconcile', '--at', '2015-02-30:1'],
    ['reconcile', '--since', '2015-02-30T06:00:00Z'],
    ['reconcile', '--since', '2015-02-28T06:00:00'],
    ['reconcile', '--deals', ','],
    ['reconcile', '--deals', 'deal_A', '--since', '2015-02-28'],
  ]) {
    it(`answers ${words.join(' ')} with exit code 2 and says what was expected`, async () => {
      const { code, stderr } = await tool(...words);
      expect([code, /expected|future/.test(stderr)]).to.deep.equal([2, true]);
    });
  }
});

const SAMPLE = new URL('../../data/world-bank-ibrd-2025-03-31.csv.gz', import.meta.url);

function firstLoans(count: number): string {
  const text = gunzipSync(readFileSync(SAMPLE)).toString('utf8');
  return `${text
    .split('\n')
    .slice(0, count + 1)
    .join('\n')}\n`;
}
