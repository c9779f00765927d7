/**
 * Lines of UTF-8 without their ends: a line feed, with or without a carriage return before it.
 *
 * @throws {TypeError} with `code` ERR_ENCODING_INVALID_ENCODED_DATA for bytes that are not UTF-8.
 */
export async function* linesOfFile(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const plain = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line);
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.map(plain);
  }
  rest += decoder.decode();
  if (rest !== '') yield plain(rest);
}
