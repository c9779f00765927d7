// A change of a contract is named by its rule before any other test runs.
import { expect } from 'chai';
import { contracts } from '../../packages/resource-api/dist/src/contracts.js';
import { whatChanged } from '../contracts.mjs';

describe('the check of contracts', () => {
  const [{ id, document }] = contracts();
  const released = JSON.parse(JSON.stringify(document));
  const withParameter = (parameter) => {
    const changed = structuredClone(released);
    changed.paths['/cls/balances'].get.parameters.push({
      name: 'region',
      in: 'query',
      schema: { type: 'string' },
      ...parameter,
    });
    return changed;
  };

  it('names R4 for a new required parameter, and sends the developer to a new version', () => {
    const text = whatChanged(id, released, withParameter({ required: true })).join('\n');
    expect(text).to.match(/^ {2}R4 GET \/cls\/balances .*region/m);
    expect(text).to.include('in a new version (docs/versioning.md');
  });

  it('asks for a new copy where the change is compatible, or the version not released yet', () => {
    for (const [promised, parameter] of [
      [released, {}],
      [undefined, { required: true }],
    ]) {
      expect(whatChanged(id, promised, withParameter(parameter)).join('\n')).to.include(
        'npm run contracts',
      );
    }
  });
});
