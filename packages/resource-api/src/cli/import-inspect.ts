import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { UnreadableFile } from '../import/file/table.ts';
import { inspectFile } from '../import/inspect/inspect-file.ts';
import { inspectionText } from '../import/inspect/inspection-text.ts';
import { writeProfile } from '../import/inspect/write-profile.ts';
import { openStatementFile } from './open-statement-file.ts';
import { writeOutput } from './output-file.ts';
import { readDictionary } from './read-dictionary.ts';

const OPTIONS = z.object({ sheet: z.string().optional(), out: z.string().optional() });

/** `cls-api import inspect`: what a file is that nobody described, and a profile for it. */
export function addImportInspectCommand(imports: Command): void {
  imports
    .command('inspect <file>')
    .description('say what a file is that nobody described, and propose a profile')
    .option('--sheet <name>', 'of a workbook; the largest when not given')
    .option(
      '--out <file>',
      'write the proposed profile to a new file: YAML with reasons, or JSON for a name that ends in .json',
    )
    .action(async (file: string, given: object, command: Command) => {
      const { sheet, out } = readOptions(OPTIONS, given);
      const dictionary = readDictionary();
      const { inspection, draft } = await openStatementFile(file)
        .then((source) => inspectFile({ source, dictionary, sheet }))
        .catch((error) => {
          if (!(error instanceof UnreadableFile)) throw error;
          const at = error.fault.row > 0 ? `, row ${error.fault.row}` : '';
          throw new CommandRefused(`${file}${at}: ${error.message}`, error.fault);
        });
      if (out !== undefined) {
        // JSON has no room for the reasons; what is open begins with “?” there too.
        const profile = out.toLowerCase().endsWith('.json')
          ? `${JSON.stringify(draft.document, null, 2)}\n`
          : writeProfile(draft, inspection);
        await writeOutput(out, (write) => write(profile));
      }
      const next =
        out === undefined
          ? 'give --out profile.yaml to write the proposed profile'
          : `${out} has the proposed profile`;
      printer(command).result(inspection, `${inspectionText(inspection)}\n\n${next}`);
    });
}
