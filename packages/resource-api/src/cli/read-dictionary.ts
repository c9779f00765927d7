import { readdirSync, readFileSync } from 'node:fs';
import { type Dictionary, dictionaryOf, dictionarySchema } from '../import/inspect/dictionary.ts';

const FOLDER = new URL('../../../dictionary/', import.meta.url);

/** The market's words for columns, as the folder `dictionary` has them. */
export function readDictionary(): Dictionary {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return dictionaryOf(
    files.toSorted().map((file) => {
      return dictionarySchema.parse(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')));
    }),
  );
}
