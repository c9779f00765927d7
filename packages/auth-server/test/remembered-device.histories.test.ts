import { newId } from '@cls/shared/new-id';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import fc from 'fast-check';
import { type AccountWorld, openAccountWorld } from './support/account-world.ts';

const LIFE_S = 2_592_000;
const BROWSERS = 3;

/** One device as it should be: its newest cookie, and until when that counts. */
interface Expected {
  readonly cookie: string;
  readonly untilS: number;
}

const browser = fc.nat(BROWSERS - 1);
const step = fc.oneof(
  fc.record({ do: fc.constant('remember' as const), browser }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sign in' as const), browser }) },
  fc.record({ do: fc.constant('use a copy' as const), browser: fc.nat(20) }),
  fc.record({ do: fc.constantFrom('add a factor' as const, 'end all sessions' as const) }),
  fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: LIFE_S }) }),
);

describeOnEngines('every history of remembered devices', (engine) => {
  let world: AccountWorld;
  before(async () => {
    world = await openAccountWorld(engine);
  });
  after(() => world?.close());

  it('recognises a browser by its newest secret alone, until something ends it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const { id } = await world.newAccount();
        const cookies = new Map<number, string>();
        const everSent: string[] = [];
        const model = new Map<string, Expected>();
        let nowS = 0;
        const idOf = (cookie: string) => cookie.split('.')[0] ?? '';
        const expectRecognised = async (cookie: string | undefined, uid: string) => {
          const account = await world.reload(id);
          const found = cookie === undefined ? undefined : model.get(idOf(cookie));
          const live = found !== undefined && nowS < found.untilS;
          const right = live && found.cookie === cookie;
          const signIn = { account, uid, cookie };
          expect(await world.rememberedDevices.recognises(signIn)).to.equal(right);
          // An old secret has been copied: its device is over.
          if (live && !right && cookie !== undefined) model.delete(idOf(cookie));
          return right ? signIn : undefined;
        };
        for (const [index, each] of steps.entries()) {
          const uid = `sign-in-${id}-${index}`;
          if (each.do === 'remember') {
            const account = await world.reload(id);
            const former = cookies.get(each.browser);
            const signIn = { account, uid, cookie: former };
            const { value } = await world.rememberedDevices.remember(signIn, {});
            if (former !== undefined) model.delete(idOf(former));
            model.set(idOf(value), { cookie: value, untilS: nowS + LIFE_S });
            cookies.set(each.browser, value);
            everSent.push(value);
          } else if (each.do === 'sign in') {
            const signIn = await expectRecognised(cookies.get(each.browser), uid);
            if (signIn === undefined) continue;
            const renewed = await world.rememberedDevices.renew(signIn);
            const value = renewed?.value ?? '';
            const { untilS } = model.get(idOf(value)) ?? { untilS: 0 };
            expect(renewed?.lifeS).to.equal(untilS - nowS);
            model.set(idOf(value), { cookie: value, untilS });
            cookies.set(each.browser, value);
            everSent.push(value);
          } else if (each.do === 'use a copy') {
            await expectRecognised(everSent[each.browser % (everSent.length || 1)], uid);
          } else if (each.do === 'add a factor') {
            await world.database.query(
              `INSERT INTO factor (id, account_id, kind, name) VALUES ($1, $2, 'totp', $1)`,
              [newId('fac'), id],
            );
            model.clear();
          } else if (each.do === 'end all sessions') {
            await world.administer.endSessions(await world.reload(id), {});
            model.clear();
          } else if ('seconds' in each) {
            world.pass(each.seconds);
            nowS += each.seconds;
          }
        }
        const listed = await world.rememberedDevices.list(await world.reload(id));
        const live = [...model].filter(([, { untilS }]) => nowS < untilS).map(([one]) => one);
        expect(listed.map((device) => device.id).sort()).to.deep.equal(live.sort());
      }),
      { numRuns: 40 },
    );
  });
});
