import { type Html, html } from '@cls/shared/http/html';
import { isNegative, isZero, minorUnits, readableAmount } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';

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
  const sizes = shown.map(({ amount }) => sizeOf(amount, digits));
  const most = greatest(sizes);
  const each = Math.ceil(shown.length / LABELS_MAX);
  const left = (at: number) => Math.round((WIDTH * at) / shown.length);
  const columns = shown.map(({ label, amount }, at) => {
    // Of the height that is there, in whole pixels; a column of anything can be seen.
    const height = ((sizes[at] ?? 0n) * BigInt(HEIGHT)) / most || 1n;
    const kind = isNegative(amount) ? 'bar minus' : 'bar';
    const width = Math.max(1, left(at + 1) - left(at) - 2);
    const name =
      at % each === 0 && html`<text x="${left(at)}" y="${TOP + HEIGHT + 16}">${label}</text>`;
    return html`<rect class="${kind}" x="${left(at)}" y="${`${BigInt(TOP + HEIGHT) - height}`}" width="${width}" height="${`${height}`}"><title>${label}: ${readableAmount(amount, text.locale)}</title></rect>${name}`;
  });
  const highest = shown[sizes.indexOf(most)]?.amount ?? '0';
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${TOP + HEIGHT + 24}" role="img" aria-label="${what}"><text x="0" y="12">${readableAmount(highest, text.locale)}</text><path class="axis" d="${`M0 ${TOP}H${WIDTH}M0 ${TOP + HEIGHT}H${WIDTH}`}"/>${columns}</svg><figcaption>${what}</figcaption></figure>`;
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
