import {
  type CollectionSource,
  inOrder,
  KEPT,
  PROFILE_NAME,
  pathValue,
  sentBy,
} from './collection-values.ts';
import { byTag, type DescribedOperation, type Parameter } from './contract-reader.ts';

/** The values with which a request of a collection begins; other parameters are switched off. */
export const FIRST_VALUES: Readonly<Record<string, string>> = { limit: '2' };

/** The query of such a request: `?limit=2`; empty where no parameter has a first value. */
export function firstQuery(parameters: readonly Parameter[], sent?: URLSearchParams): string {
  const values = parameters.flatMap(({ name }) => {
    const value = sent?.get(name) ?? FIRST_VALUES[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  return values.length === 0 ? '' : `?${values.join('&')}`;
}

/** Gets a token before the first request, and a new one when it has a minute left. */
const GET_TOKEN = `const until = Number(pm.collectionVariables.get('tokenUntil'));
if (!(until > Date.now())) {
  const fields = {
    grant_type: 'client_credentials',
    client_id: pm.variables.get('clientId'),
    client_secret: pm.variables.get('clientSecret'),
  };
  pm.sendRequest(
    {
      url: pm.variables.get('baseUrl') + '/oauth/token',
      method: 'POST',
      body: {
        mode: 'urlencoded',
        urlencoded: Object.entries(fields).map(([key, value]) => ({ key, value })),
      },
    },
    (error, answer) => {
      if (error) throw error;
      if (answer.code !== 200) throw new Error('No token: ' + answer.text());
      const { access_token, expires_in } = answer.json();
      pm.collectionVariables.set('token', access_token);
      pm.collectionVariables.set('tokenUntil', String(Date.now() + (expires_in - 60) * 1000));
    },
  );
}`;
const EXPECT_SUCCESS = "pm.test('The request succeeds', () => pm.response.to.be.success);";

/** A version as a collection of Postman (format 2.1), which gets its token by itself. */
export function postmanCollection(source: CollectionSource): string {
  const { version, issuer, operations } = source;
  const variables = {
    ...{ baseUrl: issuer, clientId: '', clientSecret: '', token: '', tokenUntil: '' },
    ...{ balanceId: '', dealId: '', jobId: '', profileName: PROFILE_NAME },
  };
  const collection = {
    info: {
      name: `CLS ${version}`,
      description: `The loan servicing API. ${issuer}/docs explains operations, fields and errors. Set clientId and clientSecret. A run begins with the list of balances, whose first ids the other requests use.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    event: [script('prerequest', GET_TOKEN), script('test', EXPECT_SUCCESS)],
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
    item: byTag(inOrder(operations)).map(([name, list]) => ({
      name,
      item: list.map((operation) => item(operation, source)),
    })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function script(listen: 'prerequest' | 'test', text: string) {
  return { listen, script: { type: 'text/javascript', exec: text.split('\n') } };
}

function item(operation: DescribedOperation, source: CollectionSource) {
  const { id, method, path, summary, parameters, bodyTypes } = operation;
  const { version, issuer } = source;
  const sent = sentBy(operation, source);
  const type = sent?.type ?? bodyTypes[0];
  const headers = parameters.filter((one) => one.in === 'header');
  const segments = colons(['api', version, ...path.slice(1).split('/')]);
  const query = parameters.filter((one) => one.in === 'query');
  const variable = parameters.filter((one) => one.in === 'path');
  const kept = Object.entries(KEPT[id] ?? {}).map(
    ([name, place]) => `pm.collectionVariables.set('${name}', pm.response.json().${place} ?? '');`,
  );
  return {
    name: summary,
    ...(kept.length > 0 && { event: [script('test', kept.join('\n'))] }),
    request: {
      method,
      header: [
        { key: 'Accept', value: 'application/json' },
        ...(type === undefined ? [] : [{ key: 'Content-Type', value: type }]),
        ...headers.map(({ name }) => ({ key: name, value: '{{$guid}}' })),
      ],
      ...(sent !== undefined && { body: { mode: 'raw', raw: sent.body } }),
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}${firstQuery(parameters, sent?.query)}`,
        host: ['{{baseUrl}}'],
        path: segments,
        query: query.map((one) => parameterOf(one, sent?.query.get(one.name))),
        ...(variable.length > 0 && {
          variable: variable.map((one) => parameterOf(one, pathValue(operation))),
        }),
      },
      description: `${operation.description ?? summary}\n\n${issuer}/docs/${version}/operations/${id}`,
    },
    response: [],
  };
}

function parameterOf({ name, description = '' }: Parameter, given: string | null | undefined) {
  const value = given ?? FIRST_VALUES[name];
  return {
    key: name,
    value: value ?? '',
    description,
    ...(value === undefined && { disabled: true }),
  };
}

/** `{dealId}` of OpenAPI is `:dealId` here. */
function colons(segments: readonly string[]): readonly string[] {
  return segments.map((one) => one.replace(/^\{(.+)\}$/, ':$1'));
}
