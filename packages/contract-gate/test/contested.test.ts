import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CONTESTED, type ContestedCase } from '../src/policy.ts';
import {
  asks,
  type Json,
  lines,
  object,
  operation,
  receives,
  rules,
  sends,
} from './support/contracts.ts';

const text = { type: 'string' };
const [few, more] = [
  { ...text, enum: ['a'] },
  { ...text, enum: ['a', 'b'] },
];
const answers = (responses: Json) =>
  operation({ responses: { 200: { description: '' }, ...responses } });
const error = { description: 'failed' };
const servers = (url: string) => operation({}, { servers: [{ url }] });
const kinds = (discriminator?: Json) => ({
  oneOf: [object({ kind: { const: 'a' } }), object({ kind: { const: 'b' } })],
  ...(discriminator && { discriminator }),
});
const named = (...names: string[]) => ({
  before: { oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) },
  more: { components: { schemas: { A: object({ a: text }), B: object({ a: text }) } } },
});
const closed = { ...object({ a: text }), additionalProperties: false };
const members = (...all: unknown[]) => sends({ allOf: all });
const scheme = (securitySchemes: Json, security?: unknown) =>
  operation({ security }, { components: { securitySchemes } });
const key = { type: 'apiKey', in: 'header', name: 'K' };
const oauth = (words: string) => ({
  type: 'oauth2',
  flows: { clientCredentials: { tokenUrl: '/token', scopes: { view: words } } },
});
const media = (...types: string[]) =>
  answers({
    200: {
      description: '',
      content: Object.fromEntries(types.map((type) => [type, { schema: text }])),
    },
  });

/** Older and newer document, and the rules that the gate names. */
type Example = readonly [unknown, unknown, readonly string[]];

const EXAMPLES: Readonly<Record<ContestedCase, readonly Example[]>> = {
  'response-enum-value-added': [
    [receives(few), receives(more), ['R5']],
    [receives({ ...few, 'x-extensible-enum': true }), receives(more), []],
  ],
  'response-enum-value-removed': [[receives(more), receives(few), []]],
  'request-default-changed': [
    [
      asks({ schema: { ...text, default: 'a' } }),
      asks({ schema: { ...text, default: 'b' } }),
      ['R5'],
    ],
    [asks({ schema: text }), asks({ schema: { ...text, default: 'b' } }), ['R5']],
    [asks({ schema: { ...text, default: 'a' } }), asks({ schema: text }), ['R5']],
    [
      sends(object({ a: { ...text, default: 'a' } })),
      sends(object({ a: { ...text, default: 'b' } })),
      ['R5'],
    ],
  ],
  'response-default-changed': [
    [receives({ ...text, default: 'a' }), receives({ ...text, default: 'b' }), []],
  ],
  'property-became-read-only': [
    [sends(object({ a: text })), sends(object({ a: { ...text, readOnly: true } })), ['R3']],
    [receives(object({ a: text })), receives(object({ a: { ...text, readOnly: true } })), []],
  ],
  'property-became-write-only': [
    [receives(object({ a: text })), receives(object({ a: { ...text, writeOnly: true } })), ['R3']],
    [sends(object({ a: text })), sends(object({ a: { ...text, writeOnly: true } })), []],
  ],
  'property-no-longer-read-only': [
    [sends(object({ a: { ...text, readOnly: true } })), sends(object({ a: text })), []],
    [
      sends(object({ a: { ...text, readOnly: true } }, ['a'])),
      sends(object({ a: text }, ['a'])),
      ['R4'],
    ],
  ],
  'property-no-longer-write-only': [
    [receives(object({ a: { ...text, writeOnly: true } })), receives(object({ a: text })), []],
  ],
  'discriminator-added-or-removed': [
    [sends(kinds()), sends(kinds({ propertyName: 'kind' })), []],
    [receives(kinds({ propertyName: 'kind' })), receives(kinds()), []],
  ],
  'discriminator-property-changed': [
    [receives(kinds({ propertyName: 'kind' })), receives(kinds({ propertyName: 'type' })), ['R5']],
    [sends(kinds({ propertyName: 'kind' })), sends(kinds({ propertyName: 'type' })), ['R5']],
  ],
  'response-object-opened': [[receives(closed), receives(object({ a: text })), []]],
  'response-object-closed': [[receives(object({ a: text })), receives(closed), []]],
  'error-status-removed': [
    [answers({ 404: error }), answers({}), ['R5']],
    [answers({ 404: error }), answers({ default: error }), []],
  ],
  'error-status-added': [
    [answers({}), answers({ 409: error }), ['R5']],
    [answers({ default: error }), answers({ default: error, 409: error }), []],
    [answers({}), answers({ 503: error }), []],
  ],
  'server-host-changed': [
    [servers('https://a.example/api'), servers('https://b.example/api/'), []],
  ],
  'server-path-changed': [
    [servers('https://a.example/api'), servers('https://a.example/v2'), ['R1']],
  ],
  'request-pattern-changed': [
    [sends({ ...text, pattern: 'a' }), sends({ ...text, pattern: 'b' }), ['R6']],
    [sends({ ...text, pattern: 'a' }), sends({ ...text, pattern: '.*' }), []],
  ],
  'response-pattern-changed': [
    [receives({ ...text, pattern: 'a' }), receives({ ...text, pattern: 'b' }), ['R5']],
  ],
  'wrapped-in-single-choice': [[receives(text), receives({ oneOf: [text] }), []]],
  'operation-id-changed': [[operation({ operationId: 'a' }), operation({ operationId: 'b' }), []]],
  'null-within-all-of': [
    [
      sends({ type: 'object', nullable: true }, {}, '3.0.3'),
      sends({ allOf: [{ type: 'object', nullable: true }, object({ a: text })] }, {}, '3.0.3'),
      [],
    ],
  ],
  'became-required-with-default': [
    [
      sends(object({ a: { ...text, default: 'x' } })),
      sends(object({ a: { ...text, default: 'x' } }, ['a'])),
      [],
    ],
  ],
  'unused-security-scheme-removed': [[scheme({ key }), scheme({}), ['R2']]],
  'scope-described-anew': [
    [scheme({ it: oauth('granted deals') }), scheme({ it: oauth('every deal') }), ['R2']],
  ],
  'security-loosened': [
    [scheme({ key }, [{ key: [] }]), scheme({ key }, [{ key: [] }, {}]), ['R2']],
  ],
  'all-of-member-added': [
    [
      members(object({ a: text }), object({ b: text })),
      members(object({ a: text }), object({ b: text }), object({ a: text })),
      ['R6'],
    ],
    [sends(object({ a: text })), members(object({ a: text }), object({ b: text })), []],
  ],
  'named-alternative-repeats-another': [
    [sends(named('A', 'B').before, named().more), sends(named('A').before, named().more), ['R6']],
    [
      receives(named('A').before, named().more),
      receives(named('A', 'B').before, named().more),
      ['R5'],
    ],
  ],
  'response-header-became-required': [
    [
      answers({ 200: { description: '', headers: { ETag: { schema: text } } } }),
      answers({ 200: { description: '', headers: { ETag: { schema: text, required: true } } } }),
      [],
    ],
  ],
  'media-type-parameters-changed': [
    [media('application/json;v=1'), media('application/json;v=2'), ['R3']],
    [media('application/json'), media('application/json; charset=utf-8'), []],
  ],
};

describe('what published tools do not agree about', () => {
  const page = readFileSync(
    new URL('../../../../docs/reference/contract-gate.md', import.meta.url),
    'utf8',
  );

  for (const [name, decision] of Object.entries(CONTESTED)) {
    it(`${name}: ${decision}`, () => {
      for (const [older, newer, expected] of EXAMPLES[name as ContestedCase]) {
        expect(rules(older, newer), lines(older, newer).join('\n')).to.deep.equal(expected);
      }
      expect(page).to.include(`| \`${name}\` | ${decision} |`);
    });
  }
});
