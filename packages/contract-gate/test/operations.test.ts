import { expect } from 'chai';
import {
  asks,
  contract,
  lines,
  object,
  operation,
  receives,
  rules,
  sends,
} from './support/contracts.ts';

const text = { type: 'string' };
const done = { responses: { 204: { description: 'done' } } };

describe('operations', () => {
  const paths = (given: Record<string, unknown>) => contract({ paths: given });

  it('removed, or under another path or method: R1', () => {
    const before = paths({ '/loans/{id}': { get: done, delete: done } });
    expect(rules(before, paths({ '/loans/{id}': { get: done } }))).to.deep.equal(['R1']);
    expect(rules(before, paths({ '/loan/{id}': { get: done, delete: done } }))).to.deep.equal([
      'R1',
    ]);
  });

  it('new ones and marks of deprecation are compatible', () => {
    const before = paths({ '/loans': { get: done } });
    const after = paths({
      '/loans': { get: { ...done, deprecated: true }, post: done },
      '/deals': { get: done },
    });
    expect(rules(before, after)).to.deep.equal([]);
  });

  it('whose path names a variable in another way are the same', () => {
    const at = (name: string) =>
      paths({
        [`/loans/{${name}}`]: {
          parameters: [{ name, in: 'path', required: true, schema: text }],
          get: done,
        },
      });
    expect(lines(at('id'), at('loanId'))).to.deep.equal([]);
  });

  it('of webhooks and callbacks: removed R1, and what they send counts as received', () => {
    const hook = (schema: unknown) =>
      contract({
        webhooks: {
          paid: { post: { requestBody: { content: { 'application/json': { schema } } }, ...done } },
        },
      });
    expect(rules(hook(text), contract({}))).to.deep.equal(['R1']);
    expect(
      rules(hook(object({ a: text })), hook(object({ a: text, b: text }, ['b']))),
    ).to.deep.equal([]);
    expect(rules(hook(object({ a: text }, ['a'])), hook(object({ a: text })))).to.deep.equal([
      'R5',
    ]);
    const callback = (schema: unknown) =>
      operation({
        callbacks: {
          paid: {
            '{$request.body#/url}': {
              post: { requestBody: { content: { 'application/json': { schema } } }, ...done },
            },
          },
        },
      });
    expect(rules(callback(text), callback({ type: 'integer' }))).to.deep.equal(['R5']);
    expect(rules(callback(text), operation({}))).to.deep.equal(['R1']);
  });

  it('behind a reference of the path, and beside it, are compared too', () => {
    const at = (...methods: string[]) =>
      contract({
        paths: { '/loans': { $ref: '#/components/pathItems/Loans', put: done } },
        components: {
          pathItems: { Loans: Object.fromEntries(methods.map((name) => [name, done])) },
        },
      });
    expect(rules(at('get', 'post'), at('get'))).to.deep.equal(['R1']);
    const written = contract({ paths: { '/loans': { get: done, put: done } } });
    expect(lines(at('get'), written)).to.deep.equal([]);
  });

  it('with a member that nobody classified: R5', () => {
    expect(rules(operation({}), operation({ quota: 3 }))).to.deep.equal(['R5']);
    expect(rules(operation({}), operation({ 'x-quota': 3 }))).to.deep.equal([]);
  });
});

describe('parameters', () => {
  const none = operation({});

  it('removed or moved: R3', () => {
    expect(rules(asks({ schema: text }), none)).to.deep.equal(['R3']);
    expect(rules(asks({ schema: text }), asks({ in: 'header', schema: text }))).to.deep.equal([
      'R3',
    ]);
  });

  it('new: R4 when required without a default, otherwise compatible', () => {
    expect(rules(none, asks({ required: true, schema: text }))).to.deep.equal(['R4']);
    expect(rules(none, asks({ required: true, schema: { ...text, default: 'a' } }))).to.deep.equal(
      [],
    );
    expect(rules(none, asks({ schema: text }))).to.deep.equal([]);
  });

  it('that became required: R4; that became optional: compatible', () => {
    expect(rules(asks({ schema: text }), asks({ required: true, schema: text }))).to.deep.equal([
      'R4',
    ]);
    expect(rules(asks({ required: true, schema: text }), asks({ schema: text }))).to.deep.equal([]);
  });

  it('written in another way: R5', () => {
    const list = { type: 'array', items: text };
    expect(rules(asks({ schema: list }), asks({ schema: list, explode: false }))).to.deep.equal([
      'R5',
    ]);
    expect(
      rules(asks({ schema: list }), asks({ schema: list, style: 'pipeDelimited' })),
    ).to.deep.equal(['R5']);
    expect(
      rules(asks({ schema: list }), asks({ schema: list, style: 'form', explode: true })),
    ).to.deep.equal([]);
    expect(
      rules(asks({ schema: text, allowReserved: true }), asks({ schema: text })),
    ).to.deep.equal(['R5']);
    expect(
      rules(asks({ schema: text }), asks({ content: { 'application/json': { schema: text } } })),
    ).to.deep.equal(['R5']);
  });

  it('no longer allowed to be empty: R6', () => {
    expect(
      rules(asks({ schema: text, allowEmptyValue: true }), asks({ schema: text })),
    ).to.deep.equal(['R6']);
    expect(
      rules(asks({ schema: text }), asks({ schema: text, allowEmptyValue: true })),
    ).to.deep.equal([]);
  });

  it('of the path count for each operation; names of headers have no case', () => {
    const header = { name: 'X-Trace', in: 'header', schema: text };
    const shared = contract({ paths: { '/loans': { parameters: [header], post: done } } });
    const single = operation({ parameters: [{ ...header, name: 'x-trace' }] });
    expect(lines(shared, single)).to.deep.equal([]);
    const ignored = operation({ parameters: [{ name: 'Accept', in: 'header', schema: text }] });
    expect(lines(ignored, none)).to.deep.equal([]);
  });

  it('as JSON are compared as JSON', () => {
    const json = (schema: unknown) => asks({ content: { 'application/json': { schema } } });
    expect(rules(json(object({ a: text })), json(object({})))).to.deep.equal(['R3']);
    expect(rules(json({ type: 'integer' }), json(text))).to.deep.equal(['R6']);
  });
});

describe('bodies and media types', () => {
  const body = (requestBody: unknown) => operation({ requestBody });
  const json = { 'application/json': { schema: text } };

  it('removed R3; new R4 when required; that became required R4', () => {
    expect(rules(body({ content: json }), operation({}))).to.deep.equal(['R3']);
    expect(rules(operation({}), body({ content: json, required: true }))).to.deep.equal(['R4']);
    expect(rules(operation({}), body({ content: json }))).to.deep.equal([]);
    expect(rules(body({ content: json }), body({ content: json, required: true }))).to.deep.equal([
      'R4',
    ]);
    expect(rules(body({ content: json, required: true }), body({ content: json }))).to.deep.equal(
      [],
    );
  });

  it('removed media types are R3 on both sides, new ones compatible', () => {
    const both = { ...json, 'text/csv': { schema: text } };
    const answers = (content: unknown) =>
      operation({ responses: { 200: { description: '', content } } });
    expect(rules(body({ content: both }), body({ content: json }))).to.deep.equal(['R3']);
    expect(rules(body({ content: json }), body({ content: both }))).to.deep.equal([]);
    expect(rules(answers(both), answers(json))).to.deep.equal(['R3']);
    expect(rules(answers(json), answers(both))).to.deep.equal([]);
  });

  it('a range holds what is within it', () => {
    expect(
      rules(body({ content: json }), body({ content: { '*/*': { schema: text } } })),
    ).to.deep.equal([]);
    expect(
      rules(body({ content: { '*/*': { schema: text } } }), body({ content: json })),
    ).to.deep.equal(['R3']);
    const charset = { 'Application/JSON; charset=utf-8': { schema: text } };
    expect(lines(body({ content: json }), body({ content: charset }))).to.deep.equal([]);
  });

  it('with a schema where there was none: R6, and the end of one in an answer: R5', () => {
    expect(rules(sends(undefined), sends(text))).to.deep.equal(['R6']);
    expect(rules(receives(text), receives(undefined))).to.deep.equal(['R5']);
    expect(rules(receives(undefined), receives(text))).to.deep.equal([]);
  });

  it('parts that are encoded in another way are incompatible; those of new parts are not', () => {
    const form = (properties: Record<string, unknown>, encoding: unknown) =>
      body({ content: { 'multipart/form-data': { schema: object(properties), encoding } } });
    const png = { file: { contentType: 'image/png' } };
    expect(rules(form({ file: text }, {}), form({ file: text }, png))).to.deep.equal(['R6']);
    expect(rules(form({}, {}), form({ file: text }, png))).to.deep.equal([]);
  });
});

describe('what a media type promises beside its schema', () => {
  const answers = (more: object) =>
    operation({ responses: { 200: { description: '', content: { 'text/csv': more } } } });
  const columns = (...deal: string[]) => answers({ 'x-columns': { deal } });
  const codes = (...all: string[]) => answers({ 'x-codes': all });

  it('columns: gone R3, in another order R5, new ones compatible', () => {
    expect(rules(columns('id', 'due'), columns('id'))).to.deep.equal(['R3']);
    expect(rules(columns('id', 'due'), columns('due', 'id'))).to.deep.equal(['R5']);
    expect(rules(columns('id', 'due'), columns('id', 'paid', 'due'))).to.deep.equal([]);
    expect(rules(columns('id'), answers({}))).to.deep.equal(['R3']);
  });

  it('codes of problems: gone R5, new ones compatible', () => {
    expect(rules(codes('a', 'b'), codes('b'))).to.deep.equal(['R5']);
    expect(rules(codes('b', 'a'), codes('a', 'b', 'c'))).to.deep.equal([]);
  });
});

describe('answers', () => {
  const answers = (responses: unknown) => operation({ responses });
  const [ok, failed] = [{ description: 'ok' }, { description: 'failed' }];
  const headers = (given: unknown) => answers({ 200: { ...ok, headers: given } });

  it('whose success status is gone: R5; a new success status is compatible', () => {
    expect(rules(answers({ 200: ok }), answers({ 202: ok }))).to.deep.equal(['R5']);
    expect(rules(answers({ 200: ok }), answers({ 200: ok, 202: ok }))).to.deep.equal([]);
  });

  it('of a range or default are compared with what stands for them', () => {
    expect(
      rules(answers({ 200: ok, 404: failed }), answers({ 200: ok, default: failed })),
    ).to.deep.equal([]);
    expect(
      rules(answers({ 200: ok, default: failed }), answers({ 200: ok, 404: failed })),
    ).to.deep.equal([]);
    expect(rules(answers({ '2XX': ok }), answers({ 200: ok }))).to.deep.equal([]);
  });

  it('without a header that they had: R3, without its promise: R5', () => {
    const [optional, required] = [{ schema: text }, { schema: text, required: true }];
    expect(rules(headers({ ETag: optional }), headers({}))).to.deep.equal(['R3']);
    expect(rules(headers({ ETag: required }), headers({ etag: optional }))).to.deep.equal(['R5']);
    expect(rules(headers({}), headers({ ETag: required }))).to.deep.equal([]);
    expect(
      rules(
        headers({ Age: { schema: { type: 'integer', maximum: 5 } } }),
        headers({ Age: { schema: { type: 'integer' } } }),
      ),
    ).to.deep.equal(['R5']);
  });
});
