import { type Html, html } from '@cls/shared/http/html';
import { isNegative, isZero, minorUnits, readableAmount } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';

export interface Bar {
  readonly label: string;
  /** Of one currency, with its digits. */
  readonly amount: string;
}

const WIDTH = 640;
const LABEL = 96;
const ROW = 26;
const HEIGHT = 18;

/**
 * Bars as SVG: drawn from whole minor units, without scripts or styles of its own, so it prints.
 * It is a picture of a table that stands beside it: the table is the truth.
 *
 * @param what a sentence that says in words what the picture shows.
 */
export function barChart(bars: readonly Bar[], what: string, text: Text): Html | undefined {
  const shown = bars.filter(({ amount }) => !isZero(amount));
  if (shown.length < 2) return undefined;
  const digits = Math.max(...shown.map(({ amount }) => amount.split('.')[1]?.length ?? 0));
  const sizes = shown.map(({ amount }) => sizeOf(amount, digits));
  const most = greatest(sizes);
  const rows = shown.map(({ label, amount }, at) => {
    const y = at * ROW;
    // Of the width that is there, in whole pixels; a bar of anything can be seen.
    const width = (((sizes[at] ?? 0n) * BigInt(WIDTH - LABEL)) / most || 1n).toString();
    const kind = isNegative(amount) ? 'bar minus' : 'bar';
    return html`<text x="${LABEL - 8}" y="${y + 14}" text-anchor="end">${label}</text><rect class="${kind}" x="${LABEL}" y="${y}" width="${width}" height="${HEIGHT}"><title>${label}: ${readableAmount(amount, text.locale)}</title></rect>`;
  });
  const height = shown.length * ROW;
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${what}">${rows}</svg><figcaption>${what}</figcaption></figure>`;
}

function sizeOf(amount: string, digits: number): bigint {
  const units = minorUnits(amount, digits);
  return units < 0n ? -units : units;
}

function greatest(sizes: readonly bigint[]): bigint {
  let most = 1n;
  for (const size of sizes) if (size > most) most = size;
  return most;
}
