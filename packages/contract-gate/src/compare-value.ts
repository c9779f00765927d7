import { compareContent } from './compare-bodies.ts';
import type { Pair } from './compare-members.ts';
import type { Context } from './comparison.ts';
import { isObject, type JsonObject, own } from './json.ts';

/**
 * Compares what a parameter or a header holds: by `schema`, or by a media type in `content`. To go
 * from one of them to the other changes how the value is written.
 *
 * @param list whether the value is an array that may stand for several parameters.
 */
export function compareValue(
  pair: Pair,
  before: JsonObject,
  after: JsonObject,
  pointer: string,
  { direction, list }: Pick<Context, 'direction' | 'list'>,
): void {
  const contents = [own(before, 'content'), own(after, 'content')] as const;
  if (isObject(contents[0]) && isObject(contents[1])) {
    compareContent(pair, [contents[0], contents[1]], `${pointer}/content`, direction);
  } else if (contents[0] !== undefined || contents[1] !== undefined) {
    const at = `${pointer}/content`;
    pair.report({ check: 'serialization-changed', direction, pointer: at, subject: 'content' });
  } else {
    const context = { direction, textual: true, list, xml: false, conditional: false };
    const schemas = [own(before, 'schema'), own(after, 'schema')] as const;
    pair.compare([schemas[0]], [schemas[1]], `${pointer}/schema`, context, pair.report);
  }
}
