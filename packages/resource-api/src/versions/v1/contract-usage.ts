import type { JsonSchema, Operation } from '../openapi.ts';
import { as, constant, integer, listOf, object, ref, text } from '../schema.ts';
import { problemResponses } from './contract-errors.ts';
import { NOT_MODIFIED } from './contract-imports.ts';
import { PAGE } from './contract-lists.ts';
import { PARAMETERS, USAGE_PARAMETERS } from './parameters.ts';
import { V1_USAGE_DATA_RULES, V1_USAGE_PERMISSIONS } from './permissions.ts';
import { USAGE_DAYS, USAGE_DAYS_MAX, USAGE_PATH } from './usage.ts';

const date = ref('CalendarDate');
const VERSION = {
  requested: text('The version in the path of the requests: `v1` or `latest`.'),
  served: text('The version that answered, or that has retired.'),
};
const requests = integer('How many requests were counted.');
const CLIENT = { clientId: text('The service account or the application.') };
const OPERATION = { operation: text('Such as `GET /cls/balances`.') };
const SUM = { ...VERSION, requests, lastDay: as(date, 'The last day with one, in UTC.') };

export const USAGE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  VersionUse: object({
    object: constant('versionUse'),
    day: as(date, 'In UTC.'),
    ...{ ...CLIENT, ...VERSION, ...OPERATION, requests },
  }),
  VersionUseList: object({
    object: constant('list'),
    data: listOf(ref('VersionUse'), 'The newest day first.'),
    totals: as(
      object({
        requests: integer('All of them.'),
        versions: listOf(object(SUM), 'Those of each version asked and served.'),
        clients: listOf(object({ ...CLIENT, ...SUM }), 'Those of each client and version.'),
        operations: listOf(
          object({ ...OPERATION, ...SUM }),
          'Those of each operation and version.',
        ),
      }),
      'Over the whole period, on each page; the most requests first.',
    ),
    page: PAGE,
    meta: as(
      object({
        period: as(
          object({ from: as(date, 'Its first day.'), to: as(date, 'Its last day.') }),
          'The days that are counted.',
        ),
      }),
      'What the answer is an answer to.',
    ),
  }),
};

const WORDS: Partial<Record<(typeof USAGE_PARAMETERS)[number], string>> = {
  fromDate: `The first day. Without it, ${USAGE_DAYS} days; the period has at most ${USAGE_DAYS_MAX}.`,
  toDate: 'The last day. Without it, today (UTC).',
  limit: 'How many uses a page has at most.',
  cursor: 'Gets the next page: `page.nextCursor` of the one before. It has the period in it.',
};

/** @param headers of answers, by reference. */
export function usagePaths(
  headers: Readonly<Record<string, unknown>>,
): Record<string, Record<string, Operation>> {
  return {
    [USAGE_PATH]: {
      get: {
        tags: ['Usage'],
        operationId: 'listVersionUses',
        summary: 'Your customer’s use of the API, by day, client, version and operation',
        description:
          'Requests with a valid token are counted, whatever the answer, and appear within seconds. A client is a service account or an application; who of its people asked is not told.',
        security: V1_USAGE_PERMISSIONS.map((permission) => ({ oauth2: [permission] })),
        'x-permission': { anyOf: [...V1_USAGE_PERMISSIONS], data: { ...V1_USAGE_DATA_RULES } },
        parameters: USAGE_PARAMETERS.map((name) => {
          const { schema, description, expected } = PARAMETERS[name];
          const said = `${WORDS[name] ?? description} Expected: ${expected}.`;
          return { name, in: 'query', description: said, schema };
        }),
        responses: {
          200: {
            description: 'A page.',
            headers,
            content: { 'application/json': { schema: ref('VersionUseList') } },
          },
          304: NOT_MODIFIED,
          ...problemResponses(['404', '422']),
        },
      },
    },
  };
}
