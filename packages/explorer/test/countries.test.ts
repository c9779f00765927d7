import { LOCALES } from '@cls/shared/pages/browser';
import { expect } from 'chai';
import { countryCodes, countryName, plain } from '../src/web/countries.ts';

describe('the name of a country', () => {
  for (const [code, english, german] of [
    ['GB', 'United Kingdom', 'Vereinigtes Königreich'],
    ['FR', 'France', 'Frankreich'],
    ['RU', 'Russia', 'Russland'],
    ['RS', 'Serbia', 'Serbien'],
    ['BJ', 'Benin', 'Benin'],
    ['BF', 'Burkina Faso', 'Burkina Faso'],
    ['CD', 'Congo - Kinshasa', 'Kongo-Kinshasa'],
  ] as const) {
    it(`finds ${english} as ${code}, not as a retired code`, () => {
      for (const name of [english, german]) {
        expect(countryCodes().get(plain(name)), name).to.equal(code);
      }
    });
  }

  it('finds the country that has it, whichever it is', () => {
    for (const [name, code] of countryCodes()) {
      const names = LOCALES.map((locale) => plain(countryName(code, locale)));
      expect(names, code).to.include(name);
      for (const own of names) expect(countryCodes().get(own), own).to.equal(code);
    }
  });
});
