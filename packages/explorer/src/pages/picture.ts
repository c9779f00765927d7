import { type Html, html } from '@cls/shared/http/html';
import { extent } from 'd3-array';
import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale';
import { isNegative, isZero, readableAmount, shortAmount, sumOf } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';

/** A value of a picture. */
export interface Mark {
  /** Below it, or where it is a date, that day. */
  readonly label: string;
  /** Of one currency, with its digits. */
  readonly amount: string;
  /** Of a column: where it begins; zero where it is left out. */
  readonly from?: string;
  /** Behind it, such as `%`. */
  readonly unit?: string;
  /** To what is behind it. */
  readonly href?: string | undefined;
}

const [WIDTH, HEIGHT] = [640, 240];
const EDGE = { top: 26, right: 12, bottom: 28, left: 60 };
const BAR_MAX = 32;
/** About the width of a letter of a name, and the height of a line of names. */
const [LETTER, LINE] = [6, 13];
/** As many can be pointed at one by one, also on a phone. */
export const MARKS_MAX = 12;

/**
 * Columns: one for each value, from the line of zero. Drawn on the server as SVG, so it needs no script
 * and prints. It is a picture of a table that stands beside it: the table is the truth.
 *
 * @param what a sentence that says in words what the picture shows.
 */
export function bars(marks: readonly Mark[], what: string, text: Text): Html | undefined {
  if (marks.every(({ amount }) => isZero(amount))) return undefined;
  const y = heights(marks.flatMap((mark) => [sizeOf(mark.from ?? '0'), endOf(mark)]));
  const x = scaleBand(
    marks.map((_, at) => at),
    [EDGE.left, WIDTH - EDGE.right],
  ).padding(0.2);
  const width = Math.min(BAR_MAX, x.bandwidth());
  const names = marks.map(({ label }) =>
    label.length * LETTER > x.step() ? label.split(' ') : [label],
  );
  const flows = marks.some(({ from }) => from !== undefined);
  const drawn = marks.map((mark, at) => {
    const middle = (x(at) ?? 0) + x.bandwidth() / 2;
    const [end, begin] = [y(endOf(mark)), y(sizeOf(mark.from ?? '0'))];
    // A column of anything can be seen.
    const height = Math.max(1, Math.abs(end - begin));
    const top = isNegative(mark.amount) ? begin : begin - height;
    const shape = html`<rect class="${isNegative(mark.amount) ? 'bar minus' : 'bar'}" x="${round(middle - width / 2)}" y="${round(top)}" width="${round(width)}" height="${round(height)}"/>`;
    const name = names[at]?.map(
      (line, below) =>
        html`<text${at % 2 === 1 && html` class="other"`} x="${Math.round(middle)}" y="${HEIGHT - 8 + below * LINE}">${line}</text>`,
    );
    const next =
      marks[at + 1] &&
      flows &&
      html`<path class="axis" d="${`M${round(middle + width / 2)} ${round(end)}h${round(x.step() - width)}`}"/>`;
    // Nothing is behind a zero.
    return [name, next, !isZero(mark.amount) && pointed(mark, middle, top, x.step(), shape, text)];
  });
  const lines = Math.max(...names.map(({ length }) => length));
  return figure(html`${axis(y, text)}${drawn}`, what, HEIGHT + (lines - 1) * LINE);
}

/** Columns from an opening to a closing: each movement begins where what is before it ends. */
export function waterfall(
  opening: Mark,
  movements: readonly Mark[],
  closing: Mark,
  what: string,
  text: Text,
): Html | undefined {
  let from = opening.amount;
  const floating = movements.map((mark) => {
    const floats = { ...mark, from };
    from = sumOf([from, mark.amount]) ?? from;
    return floats;
  });
  return bars([opening, ...floating, closing], what, text);
}

/** A line of steps: an amount stays until it changes. @param marks by date (`YYYY-MM-DD`). */
export function steps(marks: readonly Mark[], what: string, text: Text): Html | undefined {
  if (marks.length < 2 || marks.every(({ amount }) => isZero(amount))) return undefined;
  const y = heights(marks.map(endOf));
  const days = marks.map(({ label }) => new Date(label));
  const [first = new Date(0), last = first] = extent(days);
  const x = scaleUtc([first, last], [EDGE.left, WIDTH - EDGE.right]);
  const points = marks.map(({ amount }, at) => ({
    left: round(x(days[at] ?? first)),
    top: round(y(sizeOf(amount))),
  }));
  const ticks = namesOf(x.ticks(5), text).map(([name, day]) => {
    return html`<text x="${Math.round(x(day))}" y="${HEIGHT - 8}">${name}</text>`;
  });
  const course = points
    .map(({ left, top }, at) => (at === 0 ? `M${left} ${top}` : `H${left}V${top}`))
    .join('');
  const below = `${course}V${round(y(0))}H${EDGE.left}`;
  const each = marks.length > MARKS_MAX ? [] : marks;
  const pitch = (WIDTH - EDGE.left - EDGE.right) / marks.length;
  const drawn = each.map((mark, at) => {
    const { left, top } = points[at] ?? { left: 0, top: 0 };
    const shape = html`<circle cx="${left}" cy="${top}"/>`;
    return pointed({ ...mark, label: text.date(mark.label) }, left, top, pitch, shape, text);
  });
  return figure(
    html`<path class="below" d="${below}"/>${axis(y, text, marks[0]?.unit)}${ticks}<path class="line" d="${course}"/>${drawn}`,
    what,
  );
}

/** How much a part is of a whole: a bar below an amount, which says the same. */
export function shareBar(part: string, whole: string): Html | undefined {
  const [size, most] = [sizeOf(part), sizeOf(whole)];
  if (size <= 0 || most <= 0) return undefined;
  const width = round(Math.min(100, (100 * size) / most));
  return html`<svg class="part" aria-hidden="true"><rect width="${`${width}%`}" height="4"/></svg>`;
}

function figure(drawn: Html, what: string, height = HEIGHT): Html {
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="group">${drawn}</svg><figcaption>${what}</figcaption></figure>`;
}

/** A value that shows on hover and focus; a link where something is behind it. */
function pointed(mark: Mark, middle: number, top: number, pitch: number, shape: Html, text: Text) {
  const { label, amount, href } = mark;
  const value = `${label}: ${readableAmount(amount, text.locale)}${mark.unit ?? ''}`;
  const anchor = middle < WIDTH / 3 ? 'start' : middle > (2 * WIDTH) / 3 ? 'end' : undefined;
  // What can be pointed at ends with the picture: beyond it, it would widen the page.
  const [left, right] = [Math.max(0, middle - pitch / 2), Math.min(WIDTH, middle + pitch / 2)];
  const target = `M${Math.round(left)} ${EDGE.top}H${Math.round(right)}V${HEIGHT - EDGE.bottom}H${Math.round(left)}`;
  const inner = html`<path d="${target}"/>${shape}<text${anchor !== undefined && html` text-anchor="${anchor}"`} x="${Math.round(middle)}" y="${Math.round(Math.max(14, top - 8))}">${value}</text>`;
  if (href !== undefined) return html`<a class="mark" href="${href}">${inner}</a>`;
  return html`<g class="mark" tabindex="0" role="img" aria-label="${value}">${inner}</g>`;
}

type Heights = ReturnType<typeof heights>;

/** Zero belongs to the picture: a change looks as large as it is beside the whole. */
function heights(sizes: readonly number[]) {
  const [least = 0, most = 0] = extent([0, ...sizes]);
  return scaleLinear([least, most], [HEIGHT - EDGE.bottom, EDGE.top]).nice(4);
}

function axis(y: Heights, text: Text, unit = ''): Html {
  const ticks = y.ticks(4).map((tick) => {
    const at = round(y(tick));
    const size = tick % 1 === 0 ? `${BigInt(tick)}` : `${round(tick)}`;
    return { tick, at, label: `${shortAmount(size, text.locale)}${unit}` };
  });
  const lineAt = ({ at }: { at: number }) => `M${EDGE.left} ${at}H${WIDTH - EDGE.right}`;
  const grid = ticks.filter(({ tick }) => tick !== 0).map(lineAt);
  const zero = ticks.filter(({ tick }) => tick === 0).map(lineAt);
  const names = ticks.map(
    ({ at, label }) => html`<text x="${EDGE.left - 8}" y="${Math.round(at + 4)}">${label}</text>`,
  );
  return html`<path class="grid" d="${grid.join('')}"/><path class="axis" d="${zero.join('')}"/><g text-anchor="end">${names}</g>`;
}

const axisOf = (tag: string) => ({
  years: new Intl.DateTimeFormat(tag, { year: 'numeric', timeZone: 'UTC' }),
  months: new Intl.DateTimeFormat(tag, { month: 'short', year: '2-digit', timeZone: 'UTC' }),
  days: new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
});
const AXES = { en: axisOf('en-GB'), de: axisOf('de-DE') } as const;

/** Each with its year; where years or months have several, with its month or day. A day has one at most. */
function namesOf(ticks: readonly Date[], { locale }: Text): readonly (readonly [string, Date])[] {
  const { years, months, days } = AXES[locale];
  const names = [years, months, days].map((axis) => {
    return new Map(ticks.toReversed().map((day) => [axis.format(day), day]));
  });
  const telling = names.find(({ size }) => size === ticks.length) ?? names.at(-1);
  return [...(telling ?? [])].reverse();
}

/** For drawing alone: as exact as a pixel needs. No number of a page comes from it. */
function sizeOf(amount: string): number {
  return +amount;
}

/** Where a value ends. */
function endOf({ from = '0', amount }: Mark): number {
  return sizeOf(from) + sizeOf(amount);
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
