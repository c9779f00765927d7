/**
 * JSON from outside, as RFC 8725 wants it in a token: valid UTF-8 without a byte order mark, an
 * object at the top, and no member named twice. `JSON.parse` keeps the last of two, and a reader in
 * front of us may keep the first.
 *
 * @returns the object, or undefined when the bytes are anything else.
 */
export function parseStrictObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && !namesTwice(text) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** Whether any object in valid JSON `text` has a member twice. */
function namesTwice(text: string): boolean {
  const open: (Set<string> | undefined)[] = []; // A set per object, undefined per array.
  const tokens = text.match(TOKEN) ?? [];
  for (const [index, token] of tokens.entries()) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token.startsWith('"') && tokens[index + 1] === ':') {
      const names = open.at(-1);
      const name = JSON.parse(token) as string;
      if (names?.has(name)) return true;
      names?.add(name);
    }
  }
  return false;
}
