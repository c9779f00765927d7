/** What an operator makes of the pages: a name, a colour and a logo of their own. */

export interface Brand {
  /** In place of CLS on every page and in every message. */
  readonly name: string;
  /** `#rrggbb`, of buttons and links. */
  readonly colour?: string | undefined;
  /** A file. */
  readonly logo?: string | undefined;
}

export const PRODUCT = 'CLS';
/** WCAG 2.2, 1.4.3: text of ordinary size. */
export const CONTRAST_MIN = 4.5;

type Rgb = readonly [number, number, number];

/** Where text has the colour, or is on it, in `packages/shared/assets/base.css`. */
const LIGHT = { surface: '#ffffff', ground: '#f3f5f8' };
const DARK = { surface: '#18202a', ground: '#0f141b', onAccent: '#0d1b2e' };
/** How much of a surface the tint has; the rest is the colour. */
const TINT = { light: 0.9, dark: 0.85 };

/**
 * The lowest contrast of a colour in the light scheme: as the background of white text, and as text
 * on the page, on a card, and on the tint of the place where one is.
 */
export function contrastOf(colour: string): number {
  const own = rgb(colour);
  const tint = mix(own, rgb(LIGHT.surface), TINT.light);
  return Math.min(...[rgb(LIGHT.surface), rgb(LIGHT.ground), tint].map((on) => contrast(own, on)));
}

/** Rules after those of the style sheet. In the dark scheme, the colour is lightened until it is read. */
export function brandStyles(colour: string): string {
  const own = rgb(colour);
  const [white, black, surface] = [rgb('#ffffff'), rgb('#000000'), rgb(DARK.surface)];
  const tint = mix(own, surface, TINT.dark);
  const on = [surface, rgb(DARK.ground), tint, rgb(DARK.onAccent)];
  let light = own;
  for (let share = 0; Math.min(...on.map((each) => contrast(light, each))) < CONTRAST_MIN; ) {
    share += 0.05;
    light = mix(own, white, share);
  }
  const rules = (accent: Rgb, strong: Rgb, onAccent: string, tinted: Rgb) =>
    `:root{--accent:${hex(accent)};--accent-strong:${hex(strong)};--on-accent:${onAccent};--tint:${hex(tinted)}}`;
  return [
    rules(own, mix(own, black, 0.25), '#fff', mix(own, rgb(LIGHT.surface), TINT.light)),
    `.mark rect{fill:${hex(own)}}`,
    `@media screen and (prefers-color-scheme:dark){${rules(light, mix(light, white, 0.4), DARK.onAccent, tint)}}`,
  ].join('\n');
}

function rgb(text: string): Rgb {
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function hex(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/** @param share of `other`. */
function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => one[index] * (1 - share) + other[index] * share;
  return [part(0), part(1), part(2)];
}

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrast(one: Rgb, other: Rgb): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
