/** Makes the next id of a kind: `fac_…`. */
export type NewId = (prefix: string) => string;

const SEED_CHARS = 8;
const NUMBER_CHARS = 18;

/** Ids in the order in which they were made, the same for the same seed. */
export function idsFor(seed: number): NewId {
  let made = 0;
  const part = (value: number, chars: number) =>
    value.toString(32).toUpperCase().padStart(chars, '0');
  return (prefix) => {
    made += 1;
    return `${prefix}_${part(seed >>> 0, SEED_CHARS)}${part(made, NUMBER_CHARS)}`;
  };
}
