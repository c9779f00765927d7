/** A value of a profile that the file did not decide and that somebody has to. */
export interface OpenQuestion {
  /** Of the setting, such as `columns.due` or `dateFormats.0`. */
  readonly path: string;
  readonly question: string;
}

/** `? DD/MM/YYYY or MM/DD/YYYY`. A `?` alone is what some senders write for nothing. */
const OPEN = /^\s*\?\s*(?=[^\s?])/;

/** Every text in a profile's document that begins with `?`, in the order of the document. */
export function openQuestions(document: unknown): readonly OpenQuestion[] {
  return [...questionsIn(document, [])];
}

function* questionsIn(value: unknown, path: readonly string[]): Generator<OpenQuestion> {
  if (typeof value === 'string') {
    if (OPEN.test(value)) yield { path: path.join('.'), question: value.replace(OPEN, '') };
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* questionsIn(inner, [...path, key]);
  }
}
