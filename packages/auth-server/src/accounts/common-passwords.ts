/** Long ones that everybody knows; the list below is of short ones. As they are asked for. */
const FAMOUS = [
  'correcthorsebatterystaple',
  'thequickbrownfoxjumpsoverthelazydog',
  'thequickbrownfox',
  'tobeornottobethatisthequestion',
  'maytheforcebewithyou',
  'onceuponatime',
  'ihaveadreamtoday',
  'itwasadarkandstormynight',
  'loremipsumdolorsitamet',
  'franzjagtimkomplettverwahrlostentaxiquerdurchbayern',
];

/**
 * The list that guessers try first: some 49,000 passwords from published breaches, as the
 * password-strength project zxcvbn-ts keeps them (MIT). It comes with the package: nothing is
 * asked of a service elsewhere.
 *
 * @returns `isListed` of PasswordRules. Read once, when it is first needed: 30 ms.
 */
export async function commonPasswords(): Promise<(word: string) => boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const listed = new Set([...dictionary['passwords-common'], ...FAMOUS]);
  return (word) => listed.has(word);
}
