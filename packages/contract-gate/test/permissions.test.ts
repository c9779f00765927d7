import { expect } from 'chai';
import { compareContracts } from '../src/compare-contracts.ts';
import { contract, type Json, lines, operation, rules } from './support/contracts.ts';

const oauth = (scopes: Json, more: Json = {}) => ({
  type: 'oauth2',
  flows: { clientCredentials: { tokenUrl: 'https://id.example/token', scopes, ...more } },
});
const schemes = (securitySchemes: Json) => ({ components: { securitySchemes } });
const both = schemes({
  oauth: oauth({ read: 'Read', write: 'Write' }),
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
});
const needs = (security: unknown, more: Json = both) => operation({ security }, more);

describe('permissions', () => {
  const CHANGES: Readonly<Record<string, readonly [unknown, unknown]>> = {
    'a scope more': [[{ oauth: ['read'] }], [{ oauth: ['read', 'write'] }]],
    'a scope less': [[{ oauth: ['read', 'write'] }], [{ oauth: ['read'] }]],
    'another scope': [[{ oauth: ['read'] }], [{ oauth: ['write'] }]],
    'an alternative more': [[{ key: [] }], [{ key: [] }, { oauth: ['read'] }]],
    'an alternative less': [[{ key: [] }, { oauth: ['read'] }], [{ key: [] }]],
    'credentials asked for together': [[{ key: [] }, { oauth: [] }], [{ key: [], oauth: [] }]],
    'nothing asked for any more': [[{ key: [] }], []],
    'nothing asked for, as a further choice': [[{ key: [] }], [{ key: [] }, {}]],
    'something asked for': [undefined, [{ key: [] }]],
  };
  for (const [name, [before, after]] of Object.entries(CHANGES)) {
    it(`${name}: R2`, () => {
      expect(rules(needs(before), needs(after))).to.deep.equal(['R2']);
    });
  }

  it('of the whole document count for operations without their own', () => {
    const whole = operation({}, { ...both, security: [{ key: [] }] });
    expect(lines(whole, needs([{ key: [] }]))).to.deep.equal([]);
    expect(rules(whole, operation({}, both))).to.deep.equal(['R2']);
    expect(
      rules(whole, operation({ security: [] }, { ...both, security: [{ key: [] }] })),
    ).to.deep.equal(['R2']);
  });

  it('in another order are the same', () => {
    const before = needs([{ oauth: ['read', 'write'] }, { key: [] }]);
    expect(lines(before, needs([{ key: [] }, { oauth: ['write', 'read'] }]))).to.deep.equal([]);
  });

  it('of a new operation are compatible', () => {
    const after = contract({
      paths: { '/loans': { get: { security: [{ key: [] }], responses: {} } } },
      ...both,
    });
    expect(rules(contract(both), after)).to.deep.equal([]);
  });

  const DEFINITIONS: Readonly<Record<string, readonly [Json, Json]>> = {
    'where a key stands': [
      { type: 'apiKey', in: 'header', name: 'k' },
      { type: 'apiKey', in: 'query', name: 'k' },
    ],
    'the name of a key': [
      { type: 'apiKey', in: 'query', name: 'k' },
      { type: 'apiKey', in: 'query', name: 'l' },
    ],
    'the HTTP scheme': [
      { type: 'http', scheme: 'basic' },
      { type: 'http', scheme: 'bearer' },
    ],
    'the format of a bearer token': [
      { type: 'http', scheme: 'bearer' },
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    ],
    'the type': [{ type: 'http', scheme: 'bearer' }, { type: 'mutualTLS' }],
    'where tokens come from': [oauth({}), oauth({}, { tokenUrl: 'https://other.example/token' })],
    'the discovery document': [
      { type: 'openIdConnect', openIdConnectUrl: 'https://a.example' },
      { type: 'openIdConnect', openIdConnectUrl: 'https://b.example' },
    ],
    'a scope that is gone': [oauth({ read: 'Read', write: 'Write' }), oauth({ read: 'Read' })],
    'what a scope means, in an extension': [
      { ...oauth({ read: '' }), 'x-scope-data': { read: 'granted deals' } },
      { ...oauth({ read: '' }), 'x-scope-data': { read: 'every deal' } },
    ],
  };
  for (const [name, [before, after]] of Object.entries(DEFINITIONS)) {
    it(`${name}: R2 for the operations that use the scheme`, () => {
      const [old, next] = [before, after].map((given) =>
        needs([{ it: [] }], schemes({ it: given })),
      );
      const found = compareContracts(old, next).filter(({ incompatible }) => incompatible);
      expect(found.map((one) => [one.rule, one.operation])).to.deep.equal([['R2', 'POST /loans']]);
    });
  }

  it('of the whole document that no operation relies on: R2', () => {
    const given = (all: unknown) => operation({ security: [] }, { ...both, security: all });
    expect(rules(given([{ key: [] }]), given([{ oauth: ['read'] }]))).to.deep.equal(['R2']);
    expect(rules(given([{ key: [] }]), operation({ security: [] }, both))).to.deep.equal([]);
  });

  it('in extensions of the components: R2', () => {
    const given = (data: string) =>
      operation({}, { components: { 'x-permissions': { view: data } } });
    expect(rules(given('granted deals'), given('every deal'))).to.deep.equal(['R2']);
  });

  it('by a scheme that has only another name are the same', () => {
    const named = (name: string) =>
      needs([{ [name]: ['read'] }], schemes({ [name]: oauth({ read: 'Read' }) }));
    expect(lines(named('one'), named('other'))).to.deep.equal([]);
  });

  it('that nothing refers to yet are compatible: a new scheme, a new scope', () => {
    const before = needs([{ it: [] }], schemes({ it: oauth({ read: 'Read' }) }));
    const after = needs(
      [{ it: [] }],
      schemes({ it: oauth({ read: 'Read', write: 'Write' }), key: { type: 'mutualTLS' } }),
    );
    expect(rules(before, after)).to.deep.equal([]);
    expect(lines(before, after)).to.have.lengthOf(2);
  });

  it('in extensions of operations, paths and the document: R2', () => {
    expect(rules(operation({}), operation({ 'x-permission': 'cls-deal.view' }))).to.deep.equal([
      'R2',
    ]);
    expect(
      rules(operation({}), operation({}, { 'x-permissions': { view: 'granted deals' } })),
    ).to.deep.equal(['R2']);
    expect(
      rules(operation({ 'x-requiredRoles': ['a'] }), operation({ 'x-requiredRoles': ['b'] })),
    ).to.deep.equal(['R2']);
    expect(rules(operation({ 'x-author': 'a' }), operation({ 'x-author': 'b' }))).to.deep.equal([]);
  });
});
