import { hostname, userInfo } from 'node:os';
import { expect } from 'chai';
import { toolActor } from '../src/cli/tool-actor.ts';

describe('who uses a tool', () => {
  const user = userInfo().username;
  for (const [environment, uid, expected] of [
    [{}, 0, `${user}@${hostname()}`],
    [{ SUDO_USER: 'ann' }, 0, `ann@${hostname()}`],
    [{ SUDO_USER: 'ann' }, 1_000, `${user}@${hostname()}`],
    [{ CLS_ACTOR: ' Ann Lee ' }, 0, `Ann Lee (${user}@${hostname()})`],
    [{ CLS_ACTOR: 'a\nb' }, 0, `${user}@${hostname()}`],
    [{ CLS_ACTOR: '', SUDO_USER: '' }, 0, `${user}@${hostname()}`],
  ] as const) {
    it(`is ${expected} for ${JSON.stringify(environment)} of user ${uid}`, () => {
      expect(toolActor(environment, uid)).to.equal(expected);
    });
  }
});
