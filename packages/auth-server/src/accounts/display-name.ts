export const NAME_MAX_CHARS = 100;

/**
 * Characters that end a line, or that turn or hide the text around them. Two joiners are allowed,
 * because some scripts need them.
 */
const NOT_IN_A_NAME = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A display name in the form that is stored; undefined when the text is not a name. */
export function asName(text: string): string | undefined {
  const name = text.normalize('NFC').trim();
  const seen = /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) && [...name].length <= NAME_MAX_CHARS;
  return seen && !NOT_IN_A_NAME.test(name) ? name : undefined;
}

/** What mail programs make a link of: `https://…`, `//…`, `t.co`, `evil.example`, `a@b`. `J.R.R.` is none. */
const LINK = /\/\/|@|[\p{L}\p{N}-]+[.。．｡][\p{L}\p{N}][\p{L}\p{N}-]+/u;

/** `J.Smith`, `J.R.R.Tolkien`, `Dr.Who`. Two letters after the dot would be a country's domain. */
const INITIALS =
  /(?<![\p{L}\p{N}.-])(?:\p{Lu}|Dr|Mrs?|Ms|Prof|St)(?:\.\p{Lu})*\.(?!(?:Com|Net|Org)\b)\p{Lu}\p{Ll}\p{L}+(?![\p{L}\p{N}/:]|\.\S)/gu;

/**
 * The name of a person, who may have chosen it. It stands in messages and on pages of others, who
 * would click what looks like a link.
 */
export function asPersonName(text: string): string | undefined {
  const name = asName(text);
  return name === undefined || LINK.test(name.replace(INITIALS, '')) ? undefined : name;
}
