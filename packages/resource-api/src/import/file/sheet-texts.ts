/** Texts of workbooks: those that cells share, and how control characters are written. */
import { SHARED_TEXT_COST_CHARS, SHARED_TEXT_MAX_CHARS } from './limits.ts';
import { UnreadableFile } from './table.ts';
import { collectXml, joinText } from './xml.ts';

const TEXTS = {
  most: SHARED_TEXT_MAX_CHARS / SHARED_TEXT_COST_CHARS,
  of: 'texts; save the sheet as CSV',
};

/** The shared texts, in their order. Parts with their own font are joined; phonetic ones left out. */
export function readSharedTexts(bytes: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  let chars = 0;
  return collectXml<string>(bytes, TEXTS, (emit) => {
    const text = new TextCollector();
    return {
      open: (name) => text.open(name),
      text: (part) => text.add(part),
      close(name) {
        text.close(name);
        if (name !== 'si') return;
        const whole = text.take();
        chars += whole.length + SHARED_TEXT_COST_CHARS;
        if (chars > SHARED_TEXT_MAX_CHARS) {
          const message = `expected at most ${SHARED_TEXT_MAX_CHARS} characters of text; save the sheet as CSV`;
          throw new UnreadableFile('too_large', message);
        }
        emit(whole);
      },
    };
  });
}

/** Joins the `t` elements of a text, but those within `rPh`, which say how it is pronounced. */
export class TextCollector {
  #text = '';
  #within = false;
  #phonetic = false;

  open(name: string): void {
    if (name === 'rPh') this.#phonetic = true;
    else if (name === 't') this.#within = !this.#phonetic;
  }

  add(part: string): void {
    if (this.#within) this.#text = joinText(this.#text, part);
  }

  close(name: string): void {
    if (name === 'rPh') this.#phonetic = false;
    else if (name === 't') this.#within = false;
  }

  take(): string {
    const text = unescapeText(this.#text);
    this.#text = '';
    return text;
  }
}

/** Characters that XML does not have stand as `_x000D_` (ECMA-376, 22.4.2.4). */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
