import { CommandRefused } from './command-line.ts';
import { utf8Text } from './utf8.ts';

const LINE_FEED = 0x0a;
/** A line is in memory as a whole: 16 MiB. */
const LINE_MAX_BYTES = 16 * 1024 ** 2;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Lines of UTF-8 without their ends: a line feed, with or without a carriage return before it.
 *
 * @throws {CommandRefused} for bytes that are not UTF-8, with the line; for a line beyond 16 MiB.
 */
export async function* linesOfFile(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
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
      [rest, restBytes] = [[], 0];
    }
    rest.push(chunk.subarray(end));
    restBytes += chunk.length - end;
    if (restBytes > LINE_MAX_BYTES) {
      throw new CommandRefused(`line ${line}: expected at most ${LINE_MAX_BYTES} bytes`);
    }
  }
  yield* linesOf(Buffer.concat(rest));
}
