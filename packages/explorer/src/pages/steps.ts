import { type Html, html } from '@cls/shared/http/html';
import { isZero, minorUnits, readableAmount } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';

export interface Point {
  /** The last day of an interval. */
  readonly date: string;
  /** At its end, with the digits of the currency. */
  readonly amount: string;
}

const WIDTH = 640;
const HEIGHT = 200;
const TOP = 20;

/**
 * A line of steps as SVG: an amount stays until it changes. Drawn from whole minor units, without
 * scripts or styles of its own. It is a picture of a table that stands beside it.
 *
 * @param what a sentence that says in words what the picture shows.
 */
export function stepChart(points: readonly Point[], what: string, text: Text): Html | undefined {
  if (points.length < 2 || points.every(({ amount }) => isZero(amount))) return undefined;
  const digits = Math.max(...points.map(({ amount }) => amount.split('.')[1]?.length ?? 0));
  const sizes = points.map(({ amount }) => minorUnits(amount, digits));
  const [least, most] = extremes(sizes);
  const heightOf = (size: bigint) =>
    BigInt(TOP + HEIGHT) - ((size - least) * BigInt(HEIGHT)) / (most - least);
  const right = (at: number) => Math.round((WIDTH * (at + 1)) / points.length);
  const path = sizes
    .map((size, at) => `${at === 0 ? `M0 ${heightOf(size)}` : `V${heightOf(size)}`}H${right(at)}`)
    .join('');
  const [first, last] = [points[0], points.at(-1)];
  const baseline = heightOf(0n);
  const top = points[sizes.indexOf(most)]?.amount;
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT + 2 * TOP + 8}" role="img" aria-label="${what}"><path class="axis" d="${`M0 ${baseline}H${WIDTH}`}"/><path class="line" d="${path}"/>${top !== undefined && html`<text x="0" y="12">${readableAmount(top, text.locale)}</text>`}<text x="0" y="${HEIGHT + 2 * TOP + 6}">${first !== undefined && text.date(first.date)}</text><text x="${WIDTH}" y="${HEIGHT + 2 * TOP + 6}" text-anchor="end">${last !== undefined && text.date(last.date)}</text></svg><figcaption>${what}</figcaption></figure>`;
}

/** Zero belongs to the picture: a change looks as large as it is beside the whole. */
export function extremes(sizes: readonly bigint[]): readonly [bigint, bigint] {
  let [least, most] = [0n, 0n];
  for (const size of sizes) {
    if (size < least) least = size;
    if (size > most) most = size;
  }
  return [least, most];
}
