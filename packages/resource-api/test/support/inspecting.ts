import { readDictionary } from '../../src/cli/read-dictionary.ts';
import { bytesSource } from '../../src/import/file/bytes-source.ts';
import { inspectFile } from '../../src/import/inspect/inspect-file.ts';
import { writeProfile } from '../../src/import/inspect/write-profile.ts';

const dictionary = readDictionary();

/** Inspects a file of these bytes, or of this text in UTF-8. */
export async function inspect(file: string | Uint8Array, name = 'tape.csv', sheet?: string) {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  const { inspection, draft } = await inspectFile({
    source: bytesSource(name, bytes),
    dictionary,
    sheet,
  });
  const { questions, columns } = inspection;
  return {
    inspection,
    /** The proposed profile as it is written. */
    yaml: writeProfile(draft, inspection),
    setting: (path: string) => settingAt(inspection.profile, path.split('.')),
    /** Undefined where the file decides. */
    question: (setting: string) => questions.find((each) => each.setting === setting)?.question,
    comment: (path: string) => draft.comments.get(path.replaceAll('.', '\n')),
    column: (header: string) => columns.find((each) => each.header === header),
  };
}

function settingAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    document,
  );
}
