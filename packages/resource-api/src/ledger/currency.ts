/** ISO 4217 (2024): the number of minor-unit digits of each active currency. */
const DIGITS_0 = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
const DIGITS_2 =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD ' +
  'CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD ' +
  'GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD ' +
  'MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP ' +
  'PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS ' +
  'TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD YER ZAR ZMW ZWG';
const DIGITS_3 = 'BHD IQD JOD KWD LYD OMR TND';
const DIGITS_4 = 'CLF UYW';

const DIGITS: ReadonlyMap<string, number> = new Map(
  [DIGITS_0, '', DIGITS_2, DIGITS_3, DIGITS_4].flatMap((codes, index) =>
    codes === ''
      ? []
      : codes.split(' ').map((code) => [code, [0, 1, 2, 3, 4][index] ?? 2] as const),
  ),
);

/** Minor-unit digits of a currency, or undefined for a code that ISO 4217 does not list. */
export function minorUnitDigits(currency: string): number | undefined {
  return DIGITS.get(currency);
}
