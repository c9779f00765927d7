import type { Direction } from './checks.ts';
import { compareMembers, type Pair } from './compare-members.ts';
import { comparePromisedLists } from './compare-promised-lists.ts';
import type { Contract } from './contract.ts';
import { below, canonical, entriesOf, isObject, type JsonObject, own } from './json.ts';
import { covers, mediaTypeKey } from './media-types.ts';
import type { Operation } from './operations.ts';
import { keywordOf } from './schema-nodes.ts';

const BODY_MEMBERS = new Set(['description', 'content', 'required']);
const MEDIA_MEMBERS = new Set(['schema', 'example', 'examples', 'encoding']);

/** Compares the bodies of requests. */
export function compareBodies(
  pair: Pair,
  before: Operation,
  after: Operation,
  direction: Direction,
): void {
  const [old, next] = [bodyOf(pair.before, before), bodyOf(pair.after, after)];
  const { report } = pair;
  const pointer = `${before.pointer}/requestBody`;
  const [wasRequired, isRequired] = [old, next].map(
    (body) => body && own(body, 'required') === true,
  );
  if (old === undefined && next === undefined) return;
  if (old === undefined || next === undefined) {
    const added = isRequired ? 'required-body-added' : 'body-added';
    const shown = next === undefined ? { before: 'a body' } : { after: 'a body' };
    report({ check: next === undefined ? 'body-removed' : added, direction, pointer, ...shown });
    return;
  }
  if (wasRequired !== isRequired) {
    const check = isRequired ? 'body-became-required' : 'body-became-optional';
    report({
      check,
      direction,
      pointer: `${pointer}/required`,
      before: wasRequired,
      after: isRequired,
    });
  }
  compareMembers(old, next, BODY_MEMBERS, pointer, report);
  const contents = [contentOf(old), contentOf(next)] as const;
  compareContent(pair, contents, `${pointer}/content`, direction, before.pushed);
}

function bodyOf({ document }: Contract, operation: Operation): JsonObject | undefined {
  const given = own(operation.members, 'requestBody');
  return given === undefined ? undefined : document.object(given, `${operation.name} /requestBody`);
}

export function contentOf(members: JsonObject): JsonObject {
  const content = own(members, 'content');
  return isObject(content) ? content : {};
}

/** @param pushed the receiver cannot choose between media types. */
export function compareContent(
  pair: Pair,
  [before, after]: readonly [JsonObject, JsonObject],
  pointer: string,
  direction: Direction,
  pushed = false,
): void {
  const [old, next] = [byMediaType(before), byMediaType(after)];
  for (const [type, media] of old) {
    const at = below(pointer, type);
    const others = matches(type, next, direction);
    for (const other of others) compareMedia(pair, type, media, other, at, direction);
    if (others.length > 0) continue;
    pair.report({
      check: 'media-type-removed',
      direction,
      pointer: at,
      before: type,
      subject: type,
    });
  }
  for (const type of next.keys()) {
    const known = old.has(type) || [...old.keys()].some((one) => covers(one, type));
    if (known) continue;
    const check = pushed ? 'pushed-media-type-added' : 'media-type-added';
    pair.report({ check, direction, pointer: below(pointer, type), after: type, subject: type });
  }
}

function byMediaType(content: JsonObject): ReadonlyMap<string, JsonObject> {
  return new Map(
    entriesOf(content).map(([type, media]) => [mediaTypeKey(type), isObject(media) ? media : {}]),
  );
}

/** The same media type; or for requests a range that holds it, for answers those within a range. */
function matches(
  type: string,
  others: ReadonlyMap<string, JsonObject>,
  direction: Direction,
): readonly JsonObject[] {
  const same = others.get(type);
  if (same !== undefined) return [same];
  const held = (other: string) =>
    direction === 'request' ? covers(other, type) : covers(type, other);
  return [...others].filter(([other]) => held(other)).map(([, media]) => media);
}

function compareMedia(
  pair: Pair,
  type: string,
  before: JsonObject,
  after: JsonObject,
  pointer: string,
  direction: Direction,
): void {
  compareMembers(before, after, MEDIA_MEMBERS, pointer, pair.report);
  compareEncoding(pair, before, after, pointer, direction);
  comparePromisedLists(before, after, pointer, direction, pair.report);
  const context = {
    direction,
    textual: !/json/.test(type),
    list: false,
    xml: /xml/.test(type),
    conditional: false,
  };
  const schema = (contract: Contract, media: JsonObject) => {
    const given = own(media, 'schema');
    return given !== undefined && isRawBytes(contract, type, given, pointer) ? undefined : given;
  };
  pair.compare(
    [schema(pair.before, before)],
    [schema(pair.after, after)],
    `${pointer}/schema`,
    context,
    pair.report,
  );
}

/** In 3.0 bytes are a string of format binary; in 3.1 the schema is left out. */
function isRawBytes({ schemas }: Contract, type: string, schema: unknown, at: string): boolean {
  if (/json|xml|^text\/|^multipart\/|form/.test(type)) return false;
  const node = schemas.node([schema], at);
  return keywordOf(node, 'contentMediaType') === 'application/octet-stream';
}

function compareEncoding(
  { before, after, report }: Pair,
  old: JsonObject,
  next: JsonObject,
  pointer: string,
  direction: Direction,
): void {
  const encodings = [encodingsOf(old), encodingsOf(next)] as const;
  const isKnown = (name: string) =>
    [
      [before, old],
      [after, next],
    ].every(([contract, media]) =>
      hasProperty(contract as Contract, media as JsonObject, name, pointer),
    );
  for (const name of new Set(encodings.flatMap((one) => [...one.keys()]))) {
    const [one, other] = [encodings[0].get(name), encodings[1].get(name)];
    if (canonical(one) === canonical(other) || !isKnown(name)) continue;
    const at = below(pointer, 'encoding', name);
    report({ check: 'encoding-changed', direction, pointer: at, before: one, after: other });
  }
}

function encodingsOf(media: JsonObject): ReadonlyMap<string, unknown> {
  return new Map(
    entriesOf(own(media, 'encoding')).map(([name, given]) => {
      const { headers: _, ...rest } = isObject(given) ? given : {};
      return [name, Object.keys(rest).length === 0 ? undefined : rest];
    }),
  );
}

function hasProperty({ schemas }: Contract, media: JsonObject, name: string, at: string): boolean {
  return schemas
    .node([own(media, 'schema')], at)
    .leaves.some(({ keywords }) => Object.hasOwn(Object(keywords.get('properties')), name));
}
