import { Readable } from 'node:stream';
import type { Release } from '../lifecycle/release.ts';
import {
  type ApiVersion,
  operationKey,
  type PickFields,
  type VersionRequest,
  type VersionResponse,
  type VersionRoute,
} from './api-version.ts';
import { type Conversion, convertLinks, goneDown, responseSchema } from './conversion.ts';
import { convertExport } from './convert-export.ts';
import { isObject, projector } from './project.ts';
import { convertedWalk, parametersOf } from './walk.ts';

/**
 * A path of an older version, answered by the newest version's code: the version's own validation,
 * changes up, the newest code, changes down, and then only what the version's contract declares.
 *
 * @param later the releases after the version, oldest first.
 */
export function convertedRoute(
  version: ApiVersion,
  own: VersionRoute,
  newest: VersionRoute,
  later: readonly Release[],
): VersionRoute {
  const operation = operationKey('GET', own.path);
  const oldestFirst = later.flatMap(({ changes }) => changes);
  const head = later.at(-1)?.id ?? version.id;
  const conversion: Conversion = {
    version,
    operation,
    project: projector(version.contract, { from: head, to: version.id }),
    changes: oldestFirst.toReversed(),
    head,
  };
  return {
    ...own,
    async handle(request) {
      const question = own.question(request);
      const up = (query: URLSearchParams) => {
        for (const change of oldestFirst) change.up?.({ operation, query });
      };
      const walk = convertedWalk(request.walk, question, up);
      const query = new URLSearchParams(request.query);
      // A cursor has the question; what is given beside it was compared by the version itself.
      if (query.has('cursor')) for (const name of parametersOf(question).keys()) query.delete(name);
      up(query);
      const response = await newest.handle({ ...request, walk, query: `${query}` });
      // Of a page that a cursor names, the whole question, not the cursor alone.
      const asked = { ...request, query: `${walk.asked()}` };
      return response.body instanceof Readable
        ? convertExport(conversion, own, asked, response, response.body)
        : convertDocument(conversion, own, asked, response, response.body);
    },
  };
}

function convertDocument(
  conversion: Conversion,
  own: VersionRoute,
  request: VersionRequest,
  response: VersionResponse,
  bytes: Buffer,
): VersionResponse {
  const body: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isObject(body)) throw new Error('an answer is a JSON object');
  const query = new URLSearchParams(request.query);
  const exchange = goneDown(conversion, query, { ...response, body });
  const { status, headers } = exchange;
  const schema = responseSchema(conversion, status, 'application/json');
  const kept = conversion.project(schema, exchange.body);
  const pick = own.pick?.(request);
  const document = pick !== undefined && isObject(kept) ? picked(kept, pick) : kept;
  return {
    ...response,
    status,
    headers: convertLinks(conversion, headers),
    body: Buffer.from(JSON.stringify(document)),
  };
}

/** Of a list its items are reduced, of a document what it tells. */
function picked(document: Readonly<Record<string, unknown>>, pick: PickFields) {
  const { data } = document;
  if (Array.isArray(data)) return { ...document, data: data.map(pick) };
  return isObject(data) ? { ...document, data: pick(data) } : document;
}
