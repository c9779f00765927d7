import { hostname, userInfo } from 'node:os';
import { expect } from 'chai';
import { toolActor } from '../src/cli/tool-actor.ts';

describe('who uses a tool', () => {
  const user = userInfo().username;
  for (const [environment, expected] of [
    [{}, `${user}@${hostname()}`],
    [{ SUDO_USER: 'ann' }, `ann@${hostname()}`],
    [{ CLS_ACTOR: ' Ann Lee ' }, `Ann Lee (${user}@${hostname()})`],
    [{ CLS_ACTOR: 'a\nb' }, `${user}@${hostname()}`],
    [{ CLS_ACTOR: '', SUDO_USER: '' }, `${user}@${hostname()}`],
  ] as const) {
    it(`is ${expected} for ${JSON.stringify(environment)}`, () => {
      expect(toolActor(environment)).to.equal(expected);
    });
  }
});
