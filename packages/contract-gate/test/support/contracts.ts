import { compareContracts } from '../../src/compare-contracts.ts';
import type { Finding } from '../../src/finding.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A document with these members beside the least that it needs. */
export function contract(members: Json, version = '3.1.0'): Json {
  return { openapi: version, info: { title: 'Loans', version: '1' }, paths: {}, ...members };
}

/** A document with one operation, `POST /loans`. */
export function operation(members: Json, more: Json = {}, version = '3.1.0'): Json {
  const responses = { 204: { description: 'done' } };
  return contract({ paths: { '/loans': { post: { responses, ...members } } }, ...more }, version);
}

/** Clients send JSON of this schema. */
export function sends(schema: unknown, more: Json = {}, version = '3.1.0'): Json {
  return operation({ requestBody: { content: { 'application/json': { schema } } } }, more, version);
}

/** Clients receive JSON of this schema. */
export function receives(schema: unknown, more: Json = {}, version = '3.1.0'): Json {
  const content = { 'application/json': { schema } };
  return operation({ responses: { 200: { description: 'done', content } } }, more, version);
}

/** Clients may send this query parameter. */
export function asks(parameter: Json): Json {
  return operation({ parameters: [{ name: 'q', in: 'query', ...parameter }] });
}

export function object(properties: Json, required: readonly string[] = []): Json {
  return { type: 'object', properties, required };
}

/** The rules of the incompatible findings, each once, in order. */
export function rules(before: unknown, after: unknown): string[] {
  const findings = compareContracts(before, after).filter(({ incompatible }) => incompatible);
  return [...new Set(findings.map(({ rule }) => rule))].sort();
}

/** All findings as `rule check pointer`. */
export function lines(before: unknown, after: unknown): string[] {
  return compareContracts(before, after).map(line);
}

export function line({ rule, check, pointer }: Finding): string {
  return `${rule} ${check} ${pointer}`;
}
