/** The value below which `part` of the sample lies. */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/**
 * Mann–Whitney U, two-sided, by its normal approximation (samples of 20 and more): how often two
 * samples of one distribution would differ in rank as much as these do. Times have no ties.
 */
export function mannWhitney(one, other) {
  const ranked = [...one.map((value) => [value, 1]), ...other.map((value) => [value, 0])].sort(
    ([a], [b]) => a - b,
  );
  const ranks = ranked.reduce((sum, [, mine], index) => sum + mine * (index + 1), 0);
  const [n, m] = [one.length, other.length];
  const u = ranks - (n * (n + 1)) / 2;
  const z = Math.abs(u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  return 2 * upperTail(z);
}

/** Of the standard normal distribution (Abramowitz and Stegun 26.2.17, to 7.5e-8). */
function upperTail(z) {
  const t = 1 / (1 + 0.2316419 * z);
  const terms = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const sum = terms.reduce((total, term, index) => total + term * t ** (index + 1), 0);
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}
