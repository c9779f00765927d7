/**
 * A flat JSON object of strings, as token requests are: no nesting, no other types, no name
 * twice. `JSON.parse` keeps the last of two equal names, which another reader in front of us may
 * not; the regular expression reads what is between braces token by token. White space is JSON's
 * four characters (RFC 8259 §2), where `\s` would take a byte-order mark too.
 */
const MEMBER =
  /[ \t\r\n]*"((?:[^"\\]|\\.)*)"[ \t\r\n]*:[ \t\r\n]*"((?:[^"\\]|\\.)*)"[ \t\r\n]*(,|\}[ \t\r\n]*$)/y;
const START = /^[ \t\r\n]*\{/;
const EMPTY = /^[ \t\r\n]*\{[ \t\r\n]*\}[ \t\r\n]*$/;

/** The members, or a sentence on what is wrong with the text. */
export function parseFlatObject(text: string): Map<string, string> | string {
  const members = new Map<string, string>();
  const start = START.exec(text)?.[0].length;
  if (start === undefined) return 'the body is not a JSON object';
  if (EMPTY.test(text)) return members;
  MEMBER.lastIndex = start;
  for (;;) {
    const match = MEMBER.exec(text);
    if (match === null) return 'the body is not a JSON object whose values are all strings';
    const name = unquote(match[1] ?? '');
    const value = unquote(match[2] ?? '');
    if (name === undefined || value === undefined) return 'the body is not valid JSON';
    if (members.has(name)) return 'the body names a member twice';
    members.set(name, value);
    if (match[3] !== ',') return members;
  }
}

function unquote(quoted: string): string | undefined {
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch {
    return undefined;
  }
}
