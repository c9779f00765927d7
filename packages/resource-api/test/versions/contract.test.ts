import { readFileSync } from 'node:fs';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { contracts, contractText } from '../../src/contracts.ts';
import { responseSchema } from '../../src/versions/conversion.ts';
import type { JsonSchema, OpenApiDocument } from '../../src/versions/openapi.ts';
import { projector, resolveRef } from '../../src/versions/project.ts';
import { v1Contract } from '../../src/versions/v1/contract.ts';
import { columnsOf } from '../../src/versions/v1/fields.ts';
import { PARAMETERS, TAKEN } from '../../src/versions/v1/parameters.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { expectValid, routePath, validatorsOf } from '../support/contract.ts';
import { ISSUER } from '../support/issuer.ts';
import { type Recording, recordings } from './recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: contracts and answers are read as JSON.
type Json = any;

const contract = v1Contract();
const PATHS = Object.keys(contract.paths);
const all = [...recordings().values()].flat();
const pathOf = ({ below }: Recording) => routePath(contract, below);
const typeOf = ({ answered }: Recording) => (answered['content-type'] ?? '').split(';')[0] ?? '';
const project = projector(contract, { from: 'v1', to: 'v1' });

describe('the contract of each version', () => {
  for (const { id, file, document } of contracts()) {
    it(`of ${id} is its frozen copy`, () => {
      const frozen = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      const why = `${file} differs: if callers must change for it, it is a new version (docs/guides/add-a-version.md); otherwise run npm run contracts`;
      expect(contractText(document) === frozen, why).to.equal(true);
    });

    it(`of ${id} has no reference to nothing, and no schema without use`, () => {
      const text = JSON.stringify(document);
      const used = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, to]) => to));
      const { schemas, responses, headers } = document.components as Json;
      const there = Object.entries({ schemas, responses, headers }).flatMap(([kind, named]) =>
        Object.keys(named as Json).map((name) => `${kind}/${name}`),
      );
      expect([...used].sort()).to.deep.equal(there.sort());
    });
  }

  it('says each thing once, in the way that generators of clients read', () => {
    const odd: string[] = [];
    const visit = (value: Json, place: string) => {
      if (typeof value !== 'object' || value === null) return;
      const isDate = ['date', 'date-time'].includes(value.format);
      if (isDate && value.pattern) odd.push(`${place}: format, pattern`);
      if (value.anyOf && !place.endsWith('x-permission')) odd.push(`${place}: anyOf`);
      if (value.oneOf && !value.discriminator) {
        const others = value.oneOf.filter(({ type }: Json) => type !== 'null');
        const types = others.map((one: JsonSchema) => resolveRef(contract, one).type);
        if (`${types}` !== 'object') odd.push(`${place}: oneOf of ${types}`);
      }
      for (const [name, inner] of Object.entries(value)) visit(inner, `${place}/${name}`);
    };
    visit(contract, '');
    expect(odd).to.deep.equal([]);
  });

  it('promises every recorded answer: pages, exports and problems', () => {
    const validators = validatorsOf(contract);
    const nameOf = (schema: JsonSchema) => schema.$ref?.split('/').at(-1) ?? '';
    for (const one of all.filter((recorded) => PATHS.includes(pathOf(recorded)))) {
      const operation = `GET ${pathOf(one) as `/${string}`}` as const;
      if (one.body === '' || one.method === 'POST') continue;
      if (one.status !== 200) {
        expectValid(validators('Problem'), JSON.parse(one.body), one.name);
        expect(codesOf(contract, pathOf(one), one.status), one.name).to.include(
          JSON.parse(one.body).code,
        );
      } else if (typeOf(one) === 'text/csv') {
        expectColumns(one);
      } else {
        const schema = responseSchema(
          { version: { id: 'v1', contract, routes: [] }, operation },
          200,
          typeOf(one),
        );
        for (const line of one.body.trim().split('\n')) {
          expectValid(validators(nameOf(schema)), JSON.parse(line), one.name);
          // Nothing that is not declared, and everything in the order of the contract.
          expect(JSON.stringify(project(schema, JSON.parse(line))), one.name).to.equal(line);
        }
      }
    }
  });

  it('promises nothing that no recorded answer has', () => {
    const seen = new Map<JsonSchema, Set<string>>();
    for (const one of all.filter(({ status, body }) => status === 200 && body !== '')) {
      if (typeOf(one) === 'text/csv' || !PATHS.includes(pathOf(one))) continue;
      const operation = `GET ${pathOf(one) as `/${string}`}` as const;
      const schema = responseSchema(
        { version: { id: 'v1', contract, routes: [] }, operation },
        200,
        typeOf(one),
      );
      for (const line of one.body.trim().split('\n')) visit(schema, JSON.parse(line), seen);
    }
    const { schemas } = contract.components;
    const seenIn = (name: string) => seen.get(schemas[name] ?? {});
    const missing = Object.entries(schemas).flatMap(([name, schema]) => {
      // Lists have items of the schema that `fields` makes of it.
      const members = [...(seenIn(name) ?? []), ...(seenIn(`${name}Fields`) ?? [])];
      return Object.keys(schema.properties ?? {})
        .filter((property) => members.length > 0 && !members.includes(property))
        .map((property) => `${name}.${property}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('has the columns of a table as the members of an item', () => {
    for (const level of ['deal', 'facility', 'contract', 'position'] as const) {
      const item = contract.components.schemas['Balance'] ?? {};
      for (const column of columnsOf({ resource: 'balances', level, reporting: undefined })) {
        expect(isDeclared(item, column.split('.')), column).to.equal(true);
      }
    }
  });

  it('has every parameter that the reader takes, with the rule that it refuses by', () => {
    for (const [resource, path] of [
      ['balances', '/cls/balances'],
      ['principal', '/cls/balances/principal'],
      ['movements', '/cls/balances/principal/movements'],
    ] as const) {
      const parameters = (contract.paths as Json)[path].get.parameters as Json[];
      expect(parameters.map(({ name }) => name)).to.deep.equal(TAKEN[resource]);
      for (const { name, schema } of parameters) {
        const rule: { schema: JsonSchema } = PARAMETERS[name as keyof typeof PARAMETERS];
        const one = schema.type === 'array' ? schema.items : schema;
        if (name !== 'expand') expect(one, name).to.deep.include(rule.schema);
      }
    }
  });

  it('describes each operation, parameter, field and header in words', () => {
    const silent: string[] = [];
    const visit = (value: Json, place: string) => {
      if (typeof value !== 'object' || value === null) return;
      if (value.properties !== undefined && !place.includes('Fields')) {
        for (const [name, property] of Object.entries<Json>(value.properties)) {
          if (property.description === undefined) silent.push(`${place}.${name}`);
        }
      }
      for (const [name, inner] of Object.entries(value)) visit(inner, `${place}/${name}`);
    };
    visit(contract.components.schemas, '');
    for (const path of PATHS) {
      const { description, parameters } = (contract.paths as Json)[path].get;
      const all: Json[] = [{ name: 'description', description }, ...parameters];
      silent.push(...all.filter((one) => !one.description).map(({ name }) => `${path} ${name}`));
    }
    const headers = Object.entries<Json>(contract.components['headers'] as Json);
    silent.push(...headers.filter(([, one]) => !one.description).map(([name]) => name));
    expect(silent).to.deep.equal([]);
  });

  it('says which permissions open an operation, and what they show', () => {
    for (const path of PATHS) {
      const { security, 'x-permission': permission } = (contract.paths as Json)[path].get;
      expect(security.flatMap((one: Json) => one.oauth2)).to.deep.equal(permission.anyOf);
      expect(Object.keys(permission.data)).to.deep.equal(permission.anyOf);
    }
  });
});

describe('/api/{version}/openapi.json', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(anyEngine);
  });
  after(() => api?.stop());

  it('is the contract with examples and the scopes of this deployment, without a token', async () => {
    const answer = await fetch(`${api.baseUrl}/api/v1/openapi.json`);
    expect(answer.status).to.equal(200);
    const text = await answer.text();
    const isExample = (name: string) => name === 'example' || name === 'examples';
    const served = JSON.parse(text.replaceAll(`${ISSUER}/auth/`, ''), (name, value) =>
      isExample(name) ? undefined : value,
    );
    expect(served).to.deep.equal(JSON.parse(JSON.stringify(contract)));
    const { security } = JSON.parse(text).paths['/cls/balances'].get;
    expect(security[0]).to.deep.equal({ oauth2: [`${ISSUER}/auth/cls-deal.view`] });
  });

  it('is the same through latest, has a validator, and is read by GET and HEAD alone', async () => {
    const own = await fetch(`${api.baseUrl}/api/v1/openapi.json`);
    const latest = await fetch(`${api.baseUrl}/api/latest/openapi.json`);
    expect(latest.headers.get('api-version')).to.equal('v1');
    expect(latest.headers.get('content-location')).to.equal('/api/v1/openapi.json');
    expect(await latest.text()).to.equal(await own.text());
    const etag = own.headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag };
    const again = await fetch(`${api.baseUrl}/api/v1/openapi.json`, { headers });
    expect(again.status).to.equal(304);
    const head = await fetch(`${api.baseUrl}/api/v1/openapi.json`, { method: 'HEAD' });
    expect(head.status).to.equal(200);
    const posted = await fetch(`${api.baseUrl}/api/v1/openapi.json`, { method: 'POST' });
    expect(posted.status).to.equal(405);
  });
});

function codesOf({ paths, components }: OpenApiDocument, path: string, status: number): string[] {
  const { $ref }: Json = paths[path]?.['get']?.responses[status] ?? {};
  const found = (components['responses'] as Json)[$ref.split('/').at(-1)];
  return found.content['application/problem+json']['x-codes'];
}

function expectColumns(one: Recording): void {
  const { get } = (contract.paths as Json)[pathOf(one)];
  const columns: Record<string, string[]> = get.responses['200'].content['text/csv']['x-columns'];
  const header = (one.body.split('\r\n')[0] ?? '').split(',');
  const found = Object.values(columns).some(
    (list) =>
      JSON.stringify(list.filter((name) => header.includes(name))) === JSON.stringify(header),
  );
  expect(found, `${one.name}: ${header}`).to.equal(true);
}

/** Notes which members of which schemas a value has. */
function visit(given: JsonSchema, value: Json, seen: Map<JsonSchema, Set<string>>): void {
  const schema = resolveRef(contract, given);
  if (value === null) return;
  if (schema.oneOf !== undefined) {
    const branches = schema.oneOf.map((one) => resolveRef(contract, one));
    const { object } = value;
    const branch = branches.find((one) => {
      const name = one.properties?.['object']?.const;
      return name === undefined || object === undefined || name === object;
    });
    if (branch !== undefined) visit(branch, value, seen);
  } else if (Array.isArray(value)) {
    for (const item of value) visit(schema.items ?? {}, item, seen);
  } else if (schema.properties !== undefined) {
    const members = seen.get(schema) ?? new Set();
    seen.set(schema, members);
    for (const [name, property] of Object.entries(schema.properties)) {
      if (value[name] === undefined) continue;
      members.add(name);
      visit(property, value[name], seen);
    }
  }
}

function isDeclared(given: JsonSchema, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const schema = resolveRef(contract, given);
  if (schema.oneOf !== undefined) {
    return schema.oneOf.some((one) => isDeclared(one, [name, ...rest]));
  }
  const property = schema.properties?.[name];
  return property !== undefined && isDeclared(property, rest);
}
