import { type Html, type HtmlValue, html } from '@cls/shared/http/html';
import { isNegative, isZero, readableAmount, shortAmount } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { beforeText, projectedMark, type Was } from './cells.ts';

/** One number that matters, as it is read at a glance. */
export interface Figure {
  readonly label: string;
  /** Null: not added up. */
  readonly amount: string | null;
  /** To what is behind it. */
  readonly href?: string | undefined;
  /** Below it, in a few words. */
  readonly note?: HtmlValue;
  readonly was?: Was<string | null> | undefined;
  /** Wants attention where it is not zero. */
  readonly isAlarming?: true;
  /** Grows with the days: projected after the last date with data. */
  readonly isGrowing?: true;
}

/** The figures of one currency in a row. The exact amounts show on hover and focus, and are read out. */
export function figures(currency: string, all: readonly Figure[], text: Text): Html {
  return html`<section class="figures" aria-label="${currency}"><h2>${currency}</h2><dl>${all.map((one) => figure(one, text))}</dl></section>`;
}

function figure({ label, amount, href, note, was, isAlarming, isGrowing }: Figure, text: Text) {
  const alarms = isAlarming && amount !== null && !isZero(amount) && !isNegative(amount);
  const isMarked = isGrowing && amount !== null && !isZero(amount);
  return html`<div${alarms && html` class="alarm"`}><dt>${label}</dt><dd>${shown(amount, href, text)}${isMarked && projectedMark(text)}${note !== undefined && html`<small>${note}</small>`}${beforeText(amount, text, was)}</dd></div>`;
}

function shown(amount: string | null, href: string | undefined, text: Text): Html {
  if (amount === null) return html`<span class="none">${text.t('amount.notSummed')}</span>`;
  const exact = readableAmount(amount, text.locale);
  const short = isZero(amount) ? '–' : shortAmount(amount, text.locale);
  const both =
    short === exact
      ? exact
      : html`<span aria-hidden="true">${short}</span><span class="exact">${exact}</span>`;
  if (href !== undefined) return html`<a class="big" href="${href}">${both}</a>`;
  return html`<span class="big"${short !== exact && html` tabindex="0"`}>${both}</span>`;
}
