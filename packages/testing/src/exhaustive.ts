/** `CLS_EXHAUSTIVE=1`: each combination in place of a sample, and more random questions. It takes hours. */
export const EXHAUSTIVE = process.env['CLS_EXHAUSTIVE'] === '1';

/** How often a random test asks: `usual`, and ten times as often where the run is exhaustive. */
export function rounds(usual: number): number {
  return EXHAUSTIVE ? 10 * usual : usual;
}
