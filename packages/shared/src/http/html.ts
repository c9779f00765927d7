import { forDisplay } from '../text.ts';

/** Markup that is safe to send; only `html` and `trustedMarkup` make it. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type Html = Markup;
/** What a hole of a template takes; `undefined` and `false` leave nothing. */
export type HtmlValue = string | number | Html | undefined | false | readonly HtmlValue[];

/**
 * Template tag that escapes every hole. Where a hole would stay dangerous though escaped, it
 * throws: an unquoted attribute, a bare word inside a tag, a URL attribute whose value could run
 * a script (`javascript:`) or leave the site in disguise (`//host`).
 *
 * @throws {TypeError} at such a hole; it names the markup before it, never the value.
 */
export function html(parts: TemplateStringsArray, ...holes: readonly HtmlValue[]): Html {
  let text = parts[0] ?? '';
  let inTag = false;
  let inQuotes = false;
  holes.forEach((hole, index) => {
    const before = parts[index] ?? '';
    for (const character of before) {
      if (inTag && character === '"') inQuotes = !inQuotes;
      else if (!inQuotes && character === '<') inTag = true;
      else if (!inQuotes && character === '>') inTag = false;
    }
    if (inTag && !inQuotes) assertWholeAttributes(before, hole);
    if (inQuotes && URL_ATTRIBUTE.test(before)) assertSafeUrl(before, hole);
    text += render(hole, inTag) + (parts[index + 1] ?? '');
  });
  return new Markup(text);
}

/** For markup made by the services themselves, such as a QR code's; never for anybody's input. */
export function trustedMarkup(text: string): Html {
  return new Markup(text);
}

const URL_ATTRIBUTE = /\s(?:href|src|action|formaction)="$/;
/** An https or http URL, mail, an authenticator app, or a path, query or fragment of this site. */
const SAFE_URL = /^(?:https?:\/\/|mailto:|otpauth:\/\/|\/(?![/\\])|[?#])[^\s\p{Cc}\\]*$|^\/$/iu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** @param inTag an attribute, such as the value of a field, which comes back as it is. */
function render(hole: HtmlValue, inTag: boolean): string {
  if (hole === undefined || hole === false) return '';
  if (hole instanceof Markup) return hole.text;
  if (Array.isArray(hole)) return hole.map((one) => render(one, inTag)).join('');
  const text = inTag ? String(hole) : forDisplay(String(hole));
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

function assertWholeAttributes(before: string, hole: HtmlValue): void {
  const whole = hole === undefined || hole === false || hole instanceof Markup;
  if (!whole || /=\s*$/.test(before)) {
    throw new TypeError(`an unquoted value inside a tag: ${before.slice(-40)}`);
  }
}

function assertSafeUrl(before: string, hole: HtmlValue): void {
  if (typeof hole !== 'string' || !SAFE_URL.test(hole)) {
    throw new TypeError(`not a safe URL: ${before.slice(-40)}`);
  }
}
