import { utf8Text } from './utf8.ts';

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Lines of UTF-8 without their ends: a line feed, with or without a carriage return before it.
 *
 * @throws {CommandRefused} for bytes that are not UTF-8, with the line.
 */
export async function* linesOfFile(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array[] = [];
  let line = 1;
  const linesOf = (whole: Uint8Array) => {
    const text = utf8Text(whole, line);
    const lines = (line === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).split(
      '\n',
    );
    // After the last line feed nothing begins.
    if (lines.at(-1) === '') lines.pop();
    line += lines.length;
    return lines.map((one) => (one.endsWith('\r') ? one.slice(0, -1) : one));
  };
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield* linesOf(Buffer.concat([...rest, chunk.subarray(0, end)]));
      rest = [];
    }
    rest.push(chunk.subarray(end));
  }
  yield* linesOf(Buffer.concat(rest));
}
