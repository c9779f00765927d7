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
