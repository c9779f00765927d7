export const NAME_MAX_CHARS = 100;

/** What ends a line, or turns or hides the text around it; two joiners are part of some scripts. */
const NOT_IN_A_NAME = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** What people see somebody or something called, as it is stored; undefined when it is no name. */
export function asName(text: string): string | undefined {
  const name = text.normalize('NFC').trim();
  const seen = /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) && [...name].length <= NAME_MAX_CHARS;
  return seen && !NOT_IN_A_NAME.test(name) ? name : undefined;
}
