const NEWLINE = 10;

export interface Line {
  /** With its newline, where it has one. */
  readonly bytes: Uint8Array;
  readonly ended: boolean;
}

/** The lines of a stream; an iteration that stops early cancels the stream. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const reader = stream.getReader();
  let begun: Uint8Array[] = [];
  let done = false;
  try {
    while (!done) {
      const part = await reader.read();
      done = part.done;
      let from = 0;
      const chunk = part.value ?? new Uint8Array();
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        yield { bytes: joined([...begun, chunk.subarray(from, end + 1)]), ended: true };
        begun = [];
        from = end + 1;
      }
      if (from < chunk.length) begun.push(chunk.subarray(from));
    }
    if (begun.length > 0) yield { bytes: joined(begun), ended: false };
  } finally {
    if (!done) await reader.cancel().catch(() => undefined);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
