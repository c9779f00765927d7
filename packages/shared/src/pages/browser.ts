/** What shows a reader's language, the most deliberate first. */
export interface LanguageWishes {
  /** What the reader chose on a page before. */
  readonly cookie?: string | undefined;
  /** `ui_locales` of the authorization request: tags in order, space separated (OIDC Core §3.1.2.1). */
  readonly uiLocales?: string | undefined;
  /** `Accept-Language`, RFC 9110 §12.5.4. */
  readonly acceptLanguage?: string | undefined;
}

/**
 * The first wish that can be met, by its primary language (`de-CH` is met by `de`); else the first
 * language that is offered.
 */
export function negotiateLanguage<Language extends string>(
  offered: readonly [Language, ...Language[]],
  wishes: LanguageWishes,
): Language {
  const tags = [
    wishes.cookie ?? '',
    ...(wishes.uiLocales ?? '').split(' '),
    ...byWeight(wishes.acceptLanguage ?? ''),
  ];
  for (const tag of tags) {
    const primary = tag.toLowerCase().split('-')[0];
    const met = offered.find((language) => language === primary);
    if (met !== undefined) return met;
  }
  return offered[0];
}

/** A header longer than any browser sends is not worth sorting. */
const RANGES_MAX = 20;

/** Those of equal weight in the order of the header. */
function byWeight(header: string): readonly string[] {
  const ranges = header.split(',', RANGES_MAX).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    const weight = q === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? +q : 0;
    return { tag, weight };
  });
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}
