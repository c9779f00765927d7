import { runCommandLine } from '@cls/shared/cli/command-line';
import { EXAMPLES, program } from './program.ts';

const manifest = new URL('../../../package.json', import.meta.url);
process.exitCode = await runCommandLine(program(), process.argv, EXAMPLES, manifest);
