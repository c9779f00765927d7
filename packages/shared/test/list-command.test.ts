import { expect } from 'chai';
import { Command } from 'commander';
import { addListCommand } from '../src/cli/list-command.ts';

describe('a list command', () => {
  const loans = [
    { id: 'a', country: 'IN', parts: ['x', 'y'], note: null },
    { id: 'bc', country: 'DE', parts: [], note: 'late' },
  ];

  async function run(...words: string[]): Promise<string> {
    const program = new Command().option('--json');
    addListCommand(program, {
      description: 'list loans',
      load: async ({ country }: { country?: string }) =>
        loans.filter((one) => country === undefined || one.country === country),
      columns: ['id', ['of', 'country'], ['in', ({ parts }) => parts.join(' ')], 'note'],
    }).option('--country <code>');
    const { write } = process.stdout;
    let text = '';
    process.stdout.write = (chunk: string | Uint8Array) => {
      text += chunk;
      return true;
    };
    try {
      await program.parseAsync(['list', ...words], { from: 'user' });
    } finally {
      process.stdout.write = write;
    }
    return text;
  }

  it('shows members and texts below their headers, and nothing for what is absent', async () => {
    expect(await run()).to.equal('id  of  in   note\na   IN  x y\nbc  DE       late\n');
  });

  it('hands the options of the command on, and shows with --json what was loaded', async () => {
    expect(JSON.parse(await run('--country', 'DE', '--json'))).to.deep.equal([loans[1]]);
  });
});
