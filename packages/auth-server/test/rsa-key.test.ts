import { expect } from 'chai';
import { newRsaKey } from '../src/keys/rsa-key.ts';

describe('a new signing key', () => {
  it('has an id that a command takes as an argument', async () => {
    for (let n = 0; n < 400; n += 1) expect((await newRsaKey(512)).kid).to.match(/^\w[\w-]{42}$/);
  });
});
