import type { DescribedOperation, Parameter } from './contract-reader.ts';

/** The values with which a request of a collection begins; other parameters are switched off. */
export const FIRST_VALUES: Readonly<Record<string, string>> = { limit: '2' };

/** The query of such a request: `?limit=2`; empty where no parameter has a first value. */
export function firstQuery(parameters: readonly Parameter[]): string {
  const sent = parameters.flatMap(({ name }) => {
    const value = FIRST_VALUES[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  return sent.length === 0 ? '' : `?${sent.join('&')}`;
}

export interface CollectionSource {
  readonly version: string;
  /** The base URL of the deployment. */
  readonly issuer: string;
  readonly operations: readonly DescribedOperation[];
}

/** A version as a collection of Postman (format 2.1), which gets its token by itself. */
export function postmanCollection({ version, issuer, operations }: CollectionSource): string {
  const collection = {
    info: {
      name: `CLS ${version}`,
      description: `The loan servicing API. ${issuer}/docs explains operations, fields and errors. Set clientId and clientSecret.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'oauth2',
      oauth2: Object.entries({
        grant_type: 'client_credentials',
        accessTokenUrl: '{{baseUrl}}/oauth/token',
        clientId: '{{clientId}}',
        clientSecret: '{{clientSecret}}',
        client_authentication: 'header',
        addTokenTo: 'header',
      }).map(([key, value]) => ({ key, value, type: 'string' })),
    },
    variable: [
      { key: 'baseUrl', value: issuer, type: 'string' },
      { key: 'clientId', value: '', type: 'string' },
      { key: 'clientSecret', value: '', type: 'string' },
    ],
    item: operations.map((operation) => item(operation, `${issuer}/docs/${version}`, version)),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function item(operation: DescribedOperation, docs: string, version: string) {
  const { id, method, path, summary, parameters, bodyTypes } = operation;
  const [type] = bodyTypes;
  const headers = parameters.filter((one) => one.in === 'header').map(parameterOf);
  const segments = ['api', version, ...path.slice(1).split('/')];
  const query = parameters.filter((one) => one.in === 'query').map(parameterOf);
  const variable = parameters.filter((one) => one.in === 'path').map(parameterOf);
  return {
    name: summary,
    request: {
      method,
      header: [
        { key: 'Accept', value: 'application/json' },
        ...(type === undefined ? [] : [{ key: 'Content-Type', value: type }]),
        ...headers.map(({ key }) => ({ key, value: '{{$guid}}' })),
      ],
      ...(type !== undefined && { body: { mode: 'file', file: { src: '' } } }),
      url: {
        raw: `{{baseUrl}}/${colons(segments).join('/')}${firstQuery(parameters)}`,
        host: ['{{baseUrl}}'],
        path: colons(segments),
        query,
        ...(variable.length > 0 && { variable }),
      },
      description: `${operation.description ?? summary}\n\n${docs}/operations/${id}`,
    },
    response: [],
  };
}

function parameterOf({ name, description = '' }: Parameter) {
  const value = FIRST_VALUES[name];
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
