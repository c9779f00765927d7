import { isAlias, parseDocument, visit, type YAMLError } from 'yaml';

/** Of a profile as text: one that lists 10,000 names of countries is far below. */
const TEXT_MAX_CHARS = 1024 ** 2;

export class UnreadableProfile extends Error {
  override readonly name = 'UnreadableProfile';
}

/**
 * What the text of a profile says. JSON is YAML too.
 *
 * @throws {UnreadableProfile} with a sentence that has the line.
 */
export function parseProfile(text: string): unknown {
  if (text.length > TEXT_MAX_CHARS) {
    throw new UnreadableProfile(`expected at most ${TEXT_MAX_CHARS} characters`);
  }
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: true });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) throw new UnreadableProfile(sentence(fault));
  visit(document, {
    Node: (_, node) => {
      // An alias of aliases of aliases is larger than memory when it is written out.
      if (!isAlias(node) && node.anchor === undefined) return;
      const line = text.slice(0, node.range?.[0] ?? 0).split('\n').length;
      throw new UnreadableProfile(
        `line ${line}: a profile has no anchors (&) and no aliases (*); ` +
          'write the value itself, and put a text that begins with & or * in quotation marks',
      );
    },
  });
  try {
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UnreadableProfile('expected lists and settings that are nested less deeply');
  }
}

/** In words, where the library says what its own functions do. */
const SENTENCES: Readonly<Record<string, string>> = {
  RESOURCE_EXHAUSTION: 'lists and settings are nested too deeply',
  MISSING_CHAR: 'a bracket, a brace or a quotation mark is not closed',
  BAD_INDENT: 'a bracket is not closed, or a line is indented otherwise than its neighbours',
  BLOCK_AS_IMPLICIT_KEY:
    'a line is indented otherwise than its neighbours, or a text with a colon needs quotation marks',
  DUPLICATE_KEY: 'this setting is there twice; keep one',
  TAB_AS_INDENT: 'a tab stands where lines are indented; indent with spaces',
  MULTIPLE_DOCS: 'a second document begins (---); give each profile its own file',
  TAG_RESOLVE_FAILED: 'a profile has no tags (!); put a text that begins with ! in quotation marks',
  BAD_ALIAS:
    'a profile has no anchors (&) and no aliases (*); put a text that begins with & or * in quotation marks',
};

function sentence({ code, message, linePos }: YAMLError): string {
  const [start] = linePos ?? [];
  const place = start === undefined ? '' : `line ${start.line}: `;
  const [told = ''] = message.split(/ at line \d+|\n/);
  return `${place}${SENTENCES[code] ?? told.replace(/^[A-Z]/, (letter) => letter.toLowerCase())}`;
}
