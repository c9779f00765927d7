import { type Html, html } from '@cls/shared/http/html';
import { isNegative, isZero, minorUnits, readableAmount } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { extremes } from './steps.ts';

export interface Bar {
  readonly label: string;
  /** Of one currency, with its digits. */
  readonly amount: string;
}

const WIDTH = 640;
const HEIGHT = 180;
const TOP = 18;
/** As many fit beside each other. */
const LABELS_MAX = 10;

/**
 * Columns as SVG: drawn from whole minor units, without scripts or styles of its own, so it prints.
 * It is a picture of a table that stands beside it: the table is the truth.
 *
 * @param what a sentence that says in words what the picture shows.
 */
export function barChart(bars: readonly Bar[], what: string, text: Text): Html | undefined {
  const shown = bars.filter(({ amount }) => !isZero(amount));
  if (shown.length < 2) return undefined;
  const digits = Math.max(...shown.map(({ amount }) => amount.split('.')[1]?.length ?? 0));
  const sizes = shown.map(({ amount }) => minorUnits(amount, digits));
  const [least, most] = extremes(sizes);
  // In whole pixels from the top: what is negative hangs below the line of zero.
  const heightOf = (size: bigint) =>
    BigInt(TOP) + ((most - size) * BigInt(HEIGHT)) / (most - least);
  const zero = heightOf(0n);
  const each = Math.ceil(shown.length / LABELS_MAX);
  const left = (at: number) => Math.round((WIDTH * at) / shown.length);
  const columns = shown.map(({ label, amount }, at) => {
    const end = heightOf(sizes[at] ?? 0n);
    const [top, bottom] = end < zero ? [end, zero] : [zero, end];
    // A column of anything can be seen.
    const height = bottom - top || 1n;
    const kind = isNegative(amount) ? 'bar minus' : 'bar';
    const width = Math.max(1, left(at + 1) - left(at) - 2);
    const name =
      at % each === 0 && html`<text x="${left(at)}" y="${TOP + HEIGHT + 16}">${label}</text>`;
    return html`<rect class="${kind}" x="${left(at)}" y="${`${top}`}" width="${width}" height="${`${height}`}"><title>${label}: ${readableAmount(amount, text.locale)}</title></rect>${name}`;
  });
  const edge = (size: bigint, y: number) =>
    size !== 0n &&
    html`<text x="0" y="${y}">${readableAmount(shown[sizes.indexOf(size)]?.amount ?? '0', text.locale)}</text>`;
  const bottom = TOP + HEIGHT + (least < 0n ? 40 : 24);
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${bottom}" role="img" aria-label="${what}">${edge(most, 12)}<path class="axis" d="${`M0 ${TOP}H${WIDTH}M0 ${zero}H${WIDTH}`}"/>${columns}${edge(least, bottom - 6)}</svg><figcaption>${what}</figcaption></figure>`;
}
