import type { Person } from './person.ts';

/** What a person got: a page with its title, or a file. */
export interface Got {
  readonly address: string;
  readonly status: number;
  readonly text: string;
  readonly headers: string;
}

/** As many addresses of one kind differ in ids alone. */
const EACH = 2;

/**
 * Opens everything that links lead to from these addresses, each kind of address twice: the same
 * path and parameters with other values are of one kind.
 */
export async function crawl(
  person: Person,
  starts: readonly string[],
  most: number,
): Promise<Got[]> {
  const waiting = [...starts];
  const seen = new Set<string>();
  const kinds = new Map<string, number>();
  const got: Got[] = [];
  while (got.length < most) {
    const address = waiting.shift();
    if (address === undefined) break;
    const kind = kindOf(address);
    const isStart = starts.includes(address);
    if (seen.has(address) || (!isStart && (kinds.get(kind) ?? 0) >= EACH)) continue;
    seen.add(address);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const page = await person.open(address);
    const { status, headers } = page.response;
    got.push({ address, status, text: page.html, headers: JSON.stringify([...headers]) });
    waiting.push(...linksIn(page.html));
  }
  return got;
}

function linksIn(html: string): readonly string[] {
  const links = [...html.matchAll(/href="(\/[^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&').replace(/#.*$/, ''),
  );
  return links.filter((href) => !/^\/(assets|sign-|signed-)|[?&](lang|density)=/.test(href));
}

/** Choices among a few words are kinds of their own; ids, dates, cursors and searches are not. */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://kind');
  const path = pathname.replace(/\/(deals|facilities)\/[^/.]+/, '/$1/{id}');
  const parameters = [...searchParams]
    .filter(([name]) => name !== 'asOf' && name !== 'knownAt')
    .map(([name, value]) =>
      /^(by|view|lenders|reversed)$/.test(name) ? `${name}=${value}` : name,
    );
  return `${path}?${parameters.sort().join('&')}`;
}
