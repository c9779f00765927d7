import { fileURLToPath } from 'node:url';
import { helpOfCommands, runProgram } from '@cls/testing/tool-help';
import { expect } from 'chai';
import { EXAMPLES, program } from '../src/cli/program.ts';

const TOOL = fileURLToPath(new URL('../../bin/cls-books.mjs', import.meta.url));

describe('the help of cls-books', () => {
  it('shows for each command an example that begins with it, and --json', () => {
    for (const { words, text } of helpOfCommands(program(), EXAMPLES)) {
      expect(text, words).to.match(new RegExp(`^ {2}cls-books ${words}( |$)`, 'm'));
      expect(text, words).to.match(/^ {2}--json /m);
    }
  });

  it('has the version', async () => {
    const { code, stdout } = await runProgram(TOOL, ['--version']);
    expect([code, stdout.trim()]).to.deep.equal([0, '0.6.0']);
  });
});
