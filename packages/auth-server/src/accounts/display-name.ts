import { asName } from '@cls/shared/display-name';

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
