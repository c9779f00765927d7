import { LOCALES, type Locale } from '@cls/shared/pages/browser';

const NAMES = {
  en: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
  de: new Intl.DisplayNames('de', { type: 'region', fallback: 'none' }),
} as const satisfies Readonly<Record<Locale, Intl.DisplayNames>>;
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** `UA` is Ukraine; a code that no country has stays as it is. */
export function countryName(code: string, locale: Locale): string {
  return (/^[A-Z]{2}$/.test(code) && NAMES[locale].of(code)) || code;
}

/** A name as it is compared: without accents, case and punctuation. */
export function plain(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return letters.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

let codes: ReadonlyMap<string, string> | undefined;

/** By its plain name, in each language: the code of every country. */
export function countryCodes(): ReadonlyMap<string, string> {
  codes ??= new Map(
    LETTERS.flatMap((one) => LETTERS.map((other) => `${one}${other}`))
      // Retired codes have the name of the country that took their place: `UK` that of `GB`.
      .filter((code) => new Intl.Locale(`und-${code}`).region === code)
      .flatMap((code) =>
        LOCALES.map((locale) => [plain(countryName(code, locale)), code] as const),
      ),
  );
  return codes;
}
