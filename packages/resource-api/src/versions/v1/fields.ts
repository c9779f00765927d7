import { didYouMean } from '@cls/shared/http/nearest-name';
import { parameterRefusal } from '@cls/shared/http/parameter-refusal';
import type { Cell } from '../../csv/csv-line.ts';
import type { Level } from '../../questions/ask/balance-store.ts';
import type { Reporting } from '../../questions/ask/reporting.ts';
import { flattenCells } from '../csv-items.ts';
import { isObject } from '../project.ts';
import { presentMovement } from './present-movement.ts';
import type { Presented } from './presented.ts';
import type { Resource } from './query.ts';
import { SAMPLE_MOVEMENT, sampleItem } from './sample.ts';

/** Fields that an item always has, so that it can be identified. */
const ALWAYS = ['object', 'id', 'currency'];

/** What decides which fields an item has. */
export interface Shape {
  readonly resource: Resource;
  readonly level: Level;
  readonly reporting: Reporting | undefined;
}

/** Dotted names of a level's columns, in the order of the document; lists are left out. */
export function columnsOf({ resource, level, reporting }: Shape): readonly string[] {
  const sample =
    resource === 'movements'
      ? presentMovement(SAMPLE_MOVEMENT)
      : sampleItem(resource, level, reporting !== undefined);
  return [...flattenCells(sample).keys()];
}

/** The header row of a table; the date of the whole table is a column, too. */
export function tableColumns(
  shape: Shape,
  fields: readonly string[] | undefined,
): readonly string[] {
  const chosen = (column: string) =>
    fields === undefined ||
    ALWAYS.includes(column) ||
    fields.some((field) => column === field || column.startsWith(`${field}.`));
  const dated = shape.resource === 'movements' ? [] : ['asOf'];
  return [...dated, ...columnsOf(shape).filter(chosen)];
}

/** @throws {Refusal} naming the paths that items of the level do not have. */
export function checkFields(fields: readonly string[], shape: Shape): void {
  const columns = [...new Set([...columnsOf(shape), 'lenders', 'warnings'])];
  const unknown = fields.filter(
    (field) => !columns.some((column) => column === field || column.startsWith(`${field}.`)),
  );
  if (unknown.length === 0) return;
  throw parameterRefusal(
    unknown.map((received) => ({
      parameter: 'fields',
      code: 'unknown_field',
      message: `items of level ${shape.level} have no such field${didYouMean(received, columns)}; they have ${columns.join(', ')}`,
      received,
    })),
  );
}

/** Only what was asked for, in the document's own order; of what an item is compared with, too. */
export function pickFields(item: Presented, fields: readonly string[]): Presented {
  const { compared, ...own } = item;
  const kept = fieldsWithin(own, fields);
  if (compared === undefined) return kept;
  return { ...kept, compared: isObject(compared) ? fieldsWithin(compared, fields) : compared };
}

function fieldsWithin(item: Presented, fields: readonly string[], path = ''): Presented {
  const kept = Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
    const here = path === '' ? name : `${path}.${name}`;
    const whole = fields.includes(here) || (path === '' && ALWAYS.includes(name));
    if (whole) return [[name, value]];
    const within = fields.some((field) => field.startsWith(`${here}.`));
    if (!within) return [];
    return [[name, isObject(value) ? fieldsWithin(value, fields, here) : value]];
  });
  return Object.fromEntries(kept);
}

/** The cells of columns, in their order; null where an item has nothing of that name. */
export function cellsOf(columns: readonly string[]): (item: Presented) => Cell[] {
  const paths = columns.map((column) => column.split('.'));
  return (item) => paths.map((path) => cellAt(item, path));
}

function cellAt(item: Presented, path: readonly string[]): Cell {
  let value: unknown = item;
  for (const name of path) {
    if (!isObject(value)) return null;
    value = value[name];
  }
  if (Array.isArray(value)) return value.join(';');
  return isObject(value) ? null : ((value ?? null) as Cell);
}
