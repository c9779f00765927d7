/** Names of months in English, German, French and Spanish, in lower case without accents and points. */
const NAMES: readonly string[] = [
  'jan january januar janner janv janvier ene enero',
  'feb february februar feber fev fevr fevrier febrero',
  'mar march mrz marz maerz mars marzo',
  'apr april avr avril abr abril',
  'may mai mayo',
  'jun june juni juin junio',
  'jul july juli juil juillet julio',
  'aug august aou aout ago agosto',
  'sep sept september septembre septiembre set setiembre',
  'oct october okt oktober octobre octubre',
  'nov november novembre noviembre',
  'dec december dez dezember decembre dic diciembre',
];

const MONTH_OF: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)),
);

/** 1 to 12, in any case, with or without accents and a point; undefined for no month. */
export function monthNamed(text: string): number | undefined {
  const known = MONTH_OF.get(text.toLowerCase());
  if (known !== undefined) return known;
  const plain = text.normalize('NFD').replaceAll(/\p{M}|\./gu, '');
  return MONTH_OF.get(plain.toLowerCase());
}
