/**
 * A flat JSON object of strings, as token requests are: no nesting, no other types but `null`, which
 * leaves a member out, and no name twice. `JSON.parse` keeps the last of two equal names, which
 * another reader in front of us may not; the regular expression reads what is between braces token by
 * token. White space is JSON's four characters (RFC 8259 §2), where `\s` would take a byte-order mark
 * too.
 */
const MEMBER =
  /[ \t\r\n]*"((?:[^"\\]|\\.)*)"[ \t\r\n]*:[ \t\r\n]*(null|"(?:[^"\\]|\\.)*")[ \t\r\n]*(,|\}[ \t\r\n]*$)/y;
const START = /^[ \t\r\n]*\{/;
const EMPTY = /^[ \t\r\n]*\{[ \t\r\n]*\}[ \t\r\n]*$/;

/** The members, or a sentence on what is wrong with the text. */
export function parseFlatObject(text: string): Map<string, string> | string {
  const members = new Map<string, string>();
  const names = new Set<string>();
  const start = START.exec(text)?.[0].length;
  if (start === undefined) return 'the body is not a JSON object';
  if (EMPTY.test(text)) return members;
  MEMBER.lastIndex = start;
  for (;;) {
    const match = MEMBER.exec(text);
    if (match === null) return 'the body is not a JSON object whose values are all strings or null';
    const name = parsed(`"${match[1]}"`);
    const value = parsed(match[2] ?? '');
    if (name == null || value === undefined) return 'the body is not valid JSON';
    if (names.has(name)) return 'the body names a member twice';
    names.add(name);
    if (value !== null) members.set(name, value);
    if (match[3] !== ',') return members;
  }
}

function parsed(text: string): string | null | undefined {
  try {
    return JSON.parse(text) as string | null;
  } catch {
    return undefined;
  }
}
