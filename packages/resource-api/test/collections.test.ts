import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import { anyEngine } from '@cls/testing/engines';
import ajv from 'ajv';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { type DescribedOperation, operationsOf } from '../src/documentation/contract-reader.ts';
import { v1Contract } from '../src/versions/v1/contract.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { ISSUER } from './support/issuer.ts';

// biome-ignore lint/suspicious/noExplicitAny: collections are read as JSON.
type Json = any;

const { bruToJsonV2, bruToEnvJsonV2, collectionBruToJson } = createRequire(import.meta.url)(
  '@usebruno/lang',
) as Record<'bruToJsonV2' | 'bruToEnvJsonV2' | 'collectionBruToJson', (text: string) => Json>;
const operations = operationsOf(v1Contract());
const namesIn = ({ parameters }: DescribedOperation, place: string) =>
  parameters.filter((one) => one.in === place).map(({ name }) => name);

describe('the collections of a version', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(anyEngine);
  });
  after(() => api?.stop());
  const download = async (name: string) => {
    const answer = await fetch(`${api.baseUrl}/docs/v1/${name}`);
    expect(answer.status).to.equal(200);
    return Buffer.from(await answer.arrayBuffer());
  };

  it('of Postman is valid by Postman’s schema 2.1', async () => {
    const file = new URL(
      '../../test/fixtures/postman-collection-2.1.0.schema.json',
      import.meta.url,
    );
    const validate = new ajv.Ajv({ strict: false }).compile(JSON.parse(readFileSync(file, 'utf8')));
    const collection = JSON.parse(`${await download('cls.postman_collection.json')}`);
    expect(validate(collection), JSON.stringify(validate.errors)).to.equal(true);
    expect(validate({ ...collection, item: [{ request: 3 }] })).to.equal(false);
  });

  it('of Postman has every operation with its parameters, and asks for a token by itself', async () => {
    const collection = JSON.parse(`${await download('cls.postman_collection.json')}`);
    expect(collection.variable[0]).to.include({ key: 'baseUrl', value: ISSUER });
    expect(collection.auth.bearer[0]).to.include({ key: 'token', value: '{{token}}' });
    const scripts = collection.event.map(({ script }: Json) => script.exec.join('\n'));
    expect(scripts[0]).to.include('pm.sendRequest').and.include("'/oauth/token'");
    for (const text of scripts) expect(() => new Script(text)).not.to.throw();
    const requests = new Map<string, Json>(
      collection.item.flatMap(({ item }: Json) => item.map((one: Json) => [one.name, one.request])),
    );
    for (const one of operations) {
      const request = requests.get(one.summary);
      const path = one.path.replace(/\{(\w+)\}/g, ':$1');
      expect(request.method).to.equal(one.method);
      expect(`/${request.url.path.join('/')}`).to.equal(`/api/v1${path}`);
      expect(request.url.query.map(({ key }: Json) => key)).to.deep.equal(namesIn(one, 'query'));
      const variables = (request.url.variable ?? []).map(({ key }: Json) => key);
      expect(variables).to.deep.equal(namesIn(one, 'path'));
      expect(request.url.raw).to.match(
        /^\{\{baseUrl\}\}\/api\/v1\/[\w/:-]+(\?(limit=2|kind=journals))?$/,
      );
    }
    expect(requests.size).to.equal(operations.length);
    expect(collection.item.map(({ name }: Json) => name)).to.deep.equal([
      'Balances',
      'Imports',
      'Usage',
    ]);
  });

  it('give each id of a path a value that an earlier request keeps, and each body an example', async () => {
    const postman = JSON.parse(`${await download('cls.postman_collection.json')}`);
    const files = unzipSync(await download('cls.bruno.zip'));
    const bruno = (id: string) => {
      const [, bytes] = Object.entries(files).find(([name]) => name.endsWith(`/${id}.bru`)) ?? [];
      return bruToJsonV2(strFromU8(bytes ?? new Uint8Array()));
    };
    const items: Json[] = postman.item.flatMap(({ item }: Json) => item);
    const given = new Set<string>(['profileName']);
    for (const { name, event = [], request } of items) {
      const operation = operations.find(({ summary }) => summary === name);
      const { http, params = [], body, script } = bruno(operation?.id ?? '');
      for (const { value } of request.url.variable ?? []) {
        const [, variable = ''] = /^\{\{(\w+)\}\}$/.exec(value) ?? [];
        expect(given.has(variable), `${name}: ${value}`).to.equal(true);
        expect(params.find(({ type }: Json) => type === 'path').value).to.equal(value);
      }
      const sends = ['POST', 'PUT'].includes(request.method);
      expect(request.body !== undefined, name).to.equal(sends);
      expect(http.body === 'none', name).to.equal(!sends);
      if (sends) expect(`${body[http.body].trim()}`).to.equal(request.body.raw.trim());
      const [text = ''] = event.flatMap((one: Json) => one.script.exec.join('\n'));
      for (const [, variable = ''] of text.matchAll(/set\('(\w+)'/g)) {
        expect(script.res, name).to.include(`bru.setVar('${variable}'`);
        given.add(variable);
      }
    }
  });

  it('of Bruno is read by Bruno’s own parser, with every operation and its parameters', async () => {
    const files = unzipSync(await download('cls.bruno.zip'));
    const textOf = (name: string) => strFromU8(files[`cls-v1/${name}`] ?? new Uint8Array());
    expect(JSON.parse(textOf('bruno.json'))).to.deep.equal({
      version: '1',
      name: 'CLS v1',
      type: 'collection',
    });
    const { auth } = collectionBruToJson(textOf('collection.bru'));
    expect(auth.mode).to.equal('oauth2');
    expect(auth.oauth2).to.include({
      grantType: 'client_credentials',
      accessTokenUrl: '{{baseUrl}}/oauth/token',
      credentialsPlacement: 'basic_auth_header',
    });
    const { variables } = bruToEnvJsonV2(textOf('environments/CLS.bru'));
    expect(variables.map(({ name, secret }: Json) => [name, secret])).to.deep.equal([
      ['baseUrl', false],
      ['clientId', false],
      ['profileName', false],
      ['clientSecret', true],
    ]);
    for (const one of operations) {
      const { meta, http, params = [], docs } = bruToJsonV2(textOf(`${one.tag}/${one.id}.bru`));
      expect(meta.name).to.equal(one.summary);
      const path = one.path.replace(/\{(\w+)\}/g, ':$1');
      expect(http).to.include({ method: one.method.toLowerCase(), auth: 'inherit' });
      expect(http.url.split('?')[0]).to.equal(`{{baseUrl}}/api/v1${path}`);
      const names = (type: string) =>
        params.filter((param: Json) => param.type === type).map(({ name }: Json) => name);
      expect(names('query')).to.deep.equal(namesIn(one, 'query'));
      expect(names('path')).to.deep.equal(namesIn(one, 'path'));
      expect(docs).to.include(`${ISSUER}/docs/v1/operations/${one.id}`);
    }
    expect(Object.keys(files)).to.have.length(operations.length + 6);
  });

  it('have the same bytes each time, so that a download is asked for once', async () => {
    const [first, second] = [await download('cls.bruno.zip'), await download('cls.bruno.zip')];
    expect(first.equals(second)).to.equal(true);
  });
});
