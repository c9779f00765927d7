import { type Html, html } from '@cls/shared/http/html';

const STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/.source;
const NUMBER = /(?<![\w.])-?\d+(?:\.\d+)?\b/.source;
const HASH = /(?<![\w$&{])#.*/.source;
const SLASHES = /(?<!:)\/\/.*|\/\*[\s\S]*?\*\//.source;
const words = (text: string) => `\\b(?:${text.replaceAll(' ', '|')})\\b`;

/** By the groups of this pattern; the names are the classes of the style sheet. */
const pattern = (comment: string, keyword: string, string = STRING) =>
  new RegExp(
    `(?<comment>${comment})|(?<string>${string})|(?<number>${NUMBER})|(?<keyword>${keyword})`,
    'g',
  );

const SCRIPT = pattern(
  SLASHES,
  words(
    'import export from const let for of await async function return if else throw new try catch instanceof typeof null undefined true false interface type',
  ),
  `${STRING}|\`[^\`]*\``,
);
const SHELL = pattern(HASH, words('export for while do done if then fi curl npm npx node sh'));
const PATTERNS: Readonly<Record<string, RegExp>> = {
  json: new RegExp(
    `(?<name>"(?:\\\\.|[^"\\\\\\n])*"(?=\\s*:))|(?<string>${STRING})|(?<number>${NUMBER})|(?<keyword>${words('true false null')})`,
    'g',
  ),
  ...{ js: SCRIPT, mjs: SCRIPT, ts: SCRIPT, sh: SHELL },
  py: pattern(
    HASH,
    words(
      'import from def class return if elif else for in while with as try except raise not and or None True False lambda yield break',
    ),
    `"""[^]*?"""|${STRING}`,
  ),
  go: pattern(
    SLASHES,
    words(
      'package import func return if else for range var const type struct map defer break nil true false string int error',
    ),
    `${STRING}|\`[^\`]*\``,
  ),
  java: pattern(
    SLASHES,
    words(
      'package import public private static final class record void new return if else for while try catch throw throws null true false var int String',
    ),
  ),
  yaml: new RegExp(
    `(?<comment>${HASH})|(?<name>^[ \\t-]*[\\w.-]+(?=:))|(?<string>${STRING})`,
    'gm',
  ),
};

/** Code whose parts have classes. @param language as a fence or a file's ending names it */
export function coloured(code: string, language: string): Html {
  const found = PATTERNS[language];
  if (found === undefined) return html`${code}`;
  const parts: Html[] = [];
  let end = 0;
  for (const { index, 0: text, groups = {} } of code.matchAll(found)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? '';
    parts.push(html`${code.slice(end, index)}<span class="${kind}">${text}</span>`);
    end = index + text.length;
  }
  return html`${parts}${code.slice(end)}`;
}
