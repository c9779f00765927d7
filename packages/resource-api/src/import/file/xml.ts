/** Reads the XML of a workbook as a stream. A document type, and so an entity of its own, is refused. */
import { SaxesParser } from 'saxes';
import { XML_DEPTH_MAX, XML_TEXT_MAX_CHARS } from './limits.ts';
import { UnreadableFile } from './table.ts';

export type Attributes = Readonly<Record<string, string>>;

/** Names come without their prefix. */
export interface XmlHandlers {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** What the handlers emit, chunk by chunk of the document. */
export async function* readXml<T>(
  bytes: AsyncIterable<Uint8Array>,
  makeHandlers: (emit: (item: T) => void) => XmlHandlers,
): AsyncGenerator<readonly T[]> {
  let items: T[] = [];
  const handlers = makeHandlers((item) => items.push(item));
  let charsSinceTag = 0;
  const parser = quietParser(handlers, () => {
    charsSinceTag = 0;
  });
  for await (const text of utf8(bytes)) {
    charsSinceTag += text.length;
    parser.write(text);
    if (charsSinceTag > XML_TEXT_MAX_CHARS) throw cellTooLong();
    if (items.length > 0) yield items;
    items = [];
  }
  parser.close();
}

export interface ListLimit {
  readonly most: number;
  /** What the list has, and what to do where it has more. */
  readonly of: string;
  readonly code?: string;
}

/**
 * All that the handlers emit. The list needs a limit: when an array outgrows what V8 can hold, V8 ends the
 * process, and nobody hears what was wrong with the file.
 */
export async function collectXml<T>(
  bytes: AsyncIterable<Uint8Array>,
  { most, of, code = 'too_large' }: ListLimit,
  makeHandlers: (emit: (item: T) => void) => XmlHandlers,
): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const items of readXml(bytes, makeHandlers)) {
    if (all.length + items.length > most) {
      throw new UnreadableFile(code, `expected at most ${most} ${of}`);
    }
    for (const item of items) all.push(item);
  }
  return all;
}

/** Adds to a text of a cell, which elements within it part. */
export function joinText(text: string, part: string): string {
  if (text.length + part.length > XML_TEXT_MAX_CHARS) throw cellTooLong();
  return text + part;
}

function cellTooLong(): UnreadableFile {
  const message = `expected at most ${XML_TEXT_MAX_CHARS} characters in a cell`;
  return new UnreadableFile('record_too_long', message);
}

function quietParser(handlers: XmlHandlers, tagSeen: () => void): SaxesParser {
  const parser = new SaxesParser();
  let depth = 0;
  parser.on('error', ({ message }) => {
    throw damaged(message);
  });
  parser.on('doctype', () => {
    throw damaged('it has a document type');
  });
  parser.on('opentag', ({ name, attributes }) => {
    tagSeen();
    depth += 1;
    if (depth > XML_DEPTH_MAX) throw damaged(`its elements are nested ${depth} levels deep`);
    handlers.open?.(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    tagSeen();
    depth -= 1;
    handlers.close?.(localName(name));
  });
  if (handlers.text) {
    parser.on('text', (text) => handlers.text?.(text));
    parser.on('cdata', (text) => handlers.text?.(text));
  }
  return parser;
}

async function* utf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw damaged('it is not UTF-8');
    throw error;
  }
}

function damaged(reason: string): UnreadableFile {
  const message = `the workbook is damaged (${reason}); open it in a spreadsheet program and save it again`;
  return new UnreadableFile('damaged_file', message);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
