import type { Cell } from '../csv/csv-line.ts';
import { isObject } from './project.ts';

/** The one column that holds a list of words. */
const LISTS = ['warnings'];

/**
 * A row's cells as an item: `a.b` → `{ a: { b } }`. Values stay text, as they are in the table; a
 * member whose cells are all empty is null.
 */
export function readCells(cells: ReadonlyMap<string, string>): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const [name, text] of cells) {
    const path = name.split('.');
    const last = path.pop() ?? name;
    let place = item;
    for (const step of path) {
      const inner = place[step];
      const next: Record<string, unknown> = isObject(inner) ? inner : {};
      place[step] = next;
      place = next;
    }
    place[last] = LISTS.includes(name) ? text.split(';').filter(Boolean) : text || null;
  }
  return emptyAsNull(item) ?? {};
}

function emptyAsNull(item: Record<string, unknown>): Record<string, unknown> | null {
  const members = Object.entries(item).map(([name, value]): [string, unknown] => [
    name,
    isObject(value) ? emptyAsNull(value) : value,
  ]);
  return members.every(([, value]) => value === null) ? null : Object.fromEntries(members);
}

/** The reverse: dotted names and their cells. */
export function flattenCells(value: unknown, path = ''): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const [name, member] of Object.entries(isObject(value) ? value : {})) {
    const here = path === '' ? name : `${path}.${name}`;
    if (isObject(member)) {
      for (const [inner, cell] of flattenCells(member, here)) cells.set(inner, cell);
    } else if (!Array.isArray(member)) {
      cells.set(here, member as Cell);
    } else if (LISTS.includes(here)) {
      cells.set(here, member.join(';'));
    }
  }
  return cells;
}
