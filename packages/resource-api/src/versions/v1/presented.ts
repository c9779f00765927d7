/** A part of a document, as it is about to be written. */
export type Presented = Readonly<Record<string, unknown>>;
