import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { resolved } from '../../src/documentation/contract-reader.ts';
import type { OpenApiDocument } from '../../src/versions/openapi.ts';
import { startTestApi } from '../support/api.ts';
import { expectValid, validatorsOf } from '../support/contract.ts';

// biome-ignore lint/suspicious/noExplicitAny: contracts are read as JSON.
type Json = any;

describe('the examples of the served contract', () => {
  let contract: OpenApiDocument;
  before(async () => {
    const api = await startTestApi(anyEngine);
    try {
      const answer = await fetch(`${api.baseUrl}/api/v1/openapi.json`);
      contract = (await answer.json()) as OpenApiDocument;
    } finally {
      await api.stop();
    }
  });
  const operations = () =>
    Object.values(contract.paths).flatMap((methods): Json[] => Object.values(methods));

  it('are in every operation: an answer of each kind, what was sent, and each part of the path', () => {
    const missing: string[] = [];
    for (const { operationId, parameters, requestBody, responses } of operations()) {
      for (const [status, { content = {} }] of Object.entries<Json>(responses)) {
        if (status >= '300') continue;
        for (const [type, { examples }] of Object.entries<Json>(content)) {
          if (examples === undefined) missing.push(`${operationId} ${status} ${type}`);
        }
      }
      for (const one of parameters) {
        if (one.required && one.example === undefined) missing.push(`${operationId} ${one.name}`);
      }
      const bodies = Object.values<Json>(requestBody?.content ?? {});
      if (requestBody && !bodies.some(({ example }) => example))
        missing.push(`${operationId} body`);
    }
    expect(missing).to.deep.equal([]);
  });

  it('are what the schemas beside them promise', () => {
    const validators = validatorsOf(contract);
    let count = 0;
    for (const { operationId, responses } of operations()) {
      for (const response of Object.values<Json>(responses)) {
        const { content = {} } = resolved<Json>(contract, response);
        for (const [type, { schema, examples = {} }] of Object.entries<Json>(content)) {
          if (type === 'text/csv') continue;
          const name = schema.$ref.split('/').at(-1);
          for (const { value } of Object.values<Json>(examples)) {
            const isLines = type === 'application/x-ndjson';
            const values = isLines ? value.trim().split('\n').map(JSON.parse) : [value];
            for (const one of values) expectValid(validators(name), one, operationId);
            count += 1;
          }
        }
      }
    }
    expect(count).to.be.greaterThan(100);
  });
});
