import { Secret } from '@cls/shared/secret';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../src/accounts/account.ts';
import { sweepAudit } from '../src/audit/sql-audit-months.ts';
import { keyedHash } from '../src/crypto/digest.ts';
import { proveCode, provePassword } from '../src/sign-in/prove.ts';
import { addressSubject, guess, guessSubjects } from '../src/throttle/guess.ts';
import { KNOWN_DEVICE_TTL_S, knownDevices } from '../src/throttle/known-devices.ts';
import { THROTTLE_POLICIES } from '../src/throttle/policy.ts';
import type { ThrottleKind } from '../src/throttle/throttle.ts';
import {
  type AccountWorld,
  codeAt,
  openAccountWorld,
  openAuditLog,
  PASSWORD,
  TOTP_SECRET,
} from './support/account-world.ts';

const EMAIL = 'asha@india.example';

describe('the cookie of a known device', () => {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const clock = { now: () => new Date(nowMs) };
  const key = (letter: string) => keyedHash(new Secret(letter.repeat(43)), 'known devices');
  const devices = knownDevices(key('A'), clock);

  it('is known for a year, for the person it was issued to', () => {
    const cookie = devices.issue(EMAIL);
    expect(cookie).not.to.include('asha');
    expect(devices.knows(cookie, EMAIL)).to.equal(true);
    expect(devices.knows(cookie, 'ravi@india.example')).to.equal(false);
    expect(knownDevices(key('B'), clock).knows(cookie, EMAIL)).to.equal(false);
    nowMs += KNOWN_DEVICE_TTL_S * 1000;
    expect(devices.knows(cookie, EMAIL)).to.equal(true);
    nowMs += 1_000;
    expect(devices.knows(cookie, EMAIL)).to.equal(false);
  });

  it('is nothing when anything about it was changed', () => {
    const cookie = devices.issue(EMAIL);
    fc.assert(
      fc.property(
        fc.nat({ max: cookie.length - 1 }),
        fc.constantFrom('A', 'b', '0', '_', '.', ' ', ''),
        (at, character) => {
          const changed = cookie.slice(0, at) + character + cookie.slice(at + 1);
          expect(devices.knows(changed, EMAIL)).to.equal(changed === cookie);
        },
      ),
    );
  });

  it('is nothing when it is any other text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(devices.knows(text, EMAIL)).to.equal(false);
      }),
    );
    expect(devices.knows(undefined, EMAIL)).to.equal(false);
  });
});

describeOnDatabase('guessing at a person’s secrets', (engine) => {
  let world: AccountWorld;
  let account: Account;
  let n = 0;
  before(async () => {
    world = await openAccountWorld(engine);
  });
  beforeEach(async () => {
    account = await world.newAccount();
  });
  after(() => world?.close());

  const freshAddress = () => {
    n += 1;
    return addressSubject(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  };
  const password = (guess: string, cookie?: string, address = freshAddress()) =>
    provePassword(world, address, account.email, guess, { deviceCookie: cookie });

  it('is slowed for strangers, and not for a device that the person is known in', async () => {
    const cookie = world.devices.issue(account.email);
    for (let tries = 0; tries < 15; tries += 1) await password(`wrong ${tries}`);
    expect(await password(PASSWORD), 'a stranger with the right one').to.have.property('waitS');
    expect(await password(PASSWORD, cookie)).to.have.property('account');
    expect(await password(PASSWORD), 'still slowed').to.have.property('waitS');
  });

  it('does not block a known device behind an address that sprays', async () => {
    const address = freshAddress();
    for (let tries = 0; tries <= THROTTLE_POLICIES.address.free + 1; tries += 1) {
      await world.throttle.admit([address]);
    }
    expect(await password(PASSWORD, undefined, address)).to.have.property('waitS');
    const cookie = world.devices.issue(account.email);
    expect(await password(PASSWORD, cookie, address)).to.have.property('account');
  });

  it('is slowed from a stolen device too, without touching what strangers may', async () => {
    const cookie = world.devices.issue(account.email);
    for (let tries = 0; tries < 8; tries += 1) await password('wrong', cookie);
    expect(await password(PASSWORD, cookie)).to.have.property('waitS');
    expect(await password(PASSWORD)).to.have.property('account');
  });

  it('is over after 100 in a row, whatever vouches for them and however long one waits', async () => {
    await world.secondFactor.enrol(account.id, TOTP_SECRET);
    const home = freshAddress();
    await world.knownAddresses.remember(account.id, home);
    const cookie = world.devices.issue(account.email);
    let compared = 0;
    const authenticate = world.accounts.authenticate;
    const counting = {
      ...world,
      accounts: {
        ...world.accounts,
        authenticate: async () => {
          compared += 1;
          return undefined;
        },
      },
    };
    for (let tries = 0; tries < 150; tries += 1) {
      const guess = `guess ${tries}`;
      for (const deviceCookie of [undefined, cookie]) {
        await provePassword(counting, freshAddress(), account.email, guess, { deviceCookie });
      }
      await provePassword(counting, home, account.email, guess);
      await provePassword(counting, freshAddress(), account.email, guess, {
        otp: codeAt(world.clock.now()),
      });
      world.pass(3_601);
    }
    expect(compared).to.equal(100);
    expect(await authenticate(account.email, PASSWORD), 'it is the right one').to.have.property(
      'id',
    );
    for (const device of [undefined, cookie]) {
      world.pass(86_400 * 300);
      expect(await password(PASSWORD, device)).to.have.property('waitS');
    }
  });

  it('is over after 100 in a row for each secret, all counts together', () => {
    const stops = (kinds: readonly ThrottleKind[]) =>
      kinds.reduce((sum, kind) => sum + (THROTTLE_POLICIES[kind].hardStop ?? 0), 0);
    const vouched = ['account-password-at-known', 'account-password-with-code'] as const;
    expect(stops(['account-password', 'account-password-known', ...vouched])).to.equal(100);
    expect(stops(['account-otp', 'account-otp-known', 'account-otp-offered'])).to.equal(100);
    expect(stops(['account-recovery', 'account-recovery-known'])).to.equal(100);
  });

  for (const [what, most] of [
    ['password', 70],
    ['otp', 80],
    ['recovery', 100],
  ] as const) {
    it(`compares ${most} guesses in a row at most, ever, that nothing but a browser vouches for: ${what}`, async () => {
      const cookie = world.devices.issue(account.email);
      let compared = 0;
      for (let tries = 0; tries < 120; tries += 1) {
        for (const device of [undefined, cookie]) {
          const subjects = guessSubjects(world.devices, what, account, freshAddress(), device);
          const batch = Array.from({ length: 2 }, () =>
            guess(world.throttle, subjects, async () => {
              compared += 1;
              return undefined;
            }),
          );
          await Promise.all(batch);
        }
        world.pass(3_601);
      }
      expect(compared).to.equal(most);
    });
  }

  it('counts codes apart from passwords and from recovery codes', async () => {
    await world.secondFactor.enrol(account.id, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP');
    const [recovery = ''] = await world.recoveryCodes.replace(account, {});
    for (let tries = 0; tries < 10; tries += 1) {
      await proveCode(world, freshAddress(), account, '000000', 'sign-in');
    }
    expect(await proveCode(world, freshAddress(), account, '000000', 'sign-in')).to.have.property(
      'waitS',
    );
    expect(await password(PASSWORD)).to.have.property('account');
    const answer = { method: 'recovery_code', code: recovery, binding: 'sign-in' } as const;
    expect(await world.secondStep.prove(account, answer, {})).to.have.property('proof');
  });

  it('tells the owner of a new device, but not at the first sign-in, and then knows it', async () => {
    world.sent.length = 0;
    const { cookie: deviceCookie } = await world.recordDevice(account, ['pwd'], {});
    expect(world.sent).to.deep.equal([]);
    await world.recordDevice(account, ['pwd'], { deviceCookie });
    expect(world.sent).to.deep.equal([]);
    await world.recordDevice(account, ['pwd'], { deviceCookie: 'of somebody else' });
    expect(world.sent).to.deep.equal([{ to: account.email, kind: 'new_device', name: 'password' }]);
    expect(world.events.at(-1)).to.include({ type: 'sign_in.new_device', subject: account.id });
  });

  it('tells the owner of a new device what opened the account there', async () => {
    await world.recordDevice(account, ['pwd'], {});
    world.sent.length = 0;
    const linked = { ...account, passwordVersion: undefined };
    await world.recordDevice(account, ['pwd', 'otp', 'mfa'], {});
    await world.recordDevice(account, ['hwk', 'user', 'mfa'], {});
    await world.recordDevice(linked, ['pwd'], {});
    expect(world.sent.map(({ name }) => name)).to.deep.equal([
      'password',
      'passkey',
      'organisation',
    ]);
  });

  it('tells the owner of a new device also when the audit holds nothing of them any more', async () => {
    const audit = await openAuditLog(world);
    await world.recordDevice(account, ['pwd'], {});
    audit.record({ type: 'sign_in.succeeded', subject: account.id });
    await audit.flush();
    world.pass(432 * 86_400);
    await sweepAudit(world.database, world.clock, 400);
    world.sent.length = 0;
    await world.recordDevice(account, ['pwd'], {});
    expect(world.sent).to.deep.equal([{ to: account.email, kind: 'new_device', name: 'password' }]);
  });

  it('counts every spelling of an address as one', async () => {
    const spellings = [account.email.toUpperCase(), ` ${account.email} `, account.email];
    for (let tries = 0; tries < 15; tries += 1) {
      const email = spellings[tries % spellings.length] ?? '';
      await provePassword(world, freshAddress(), email, 'wrong');
    }
    expect(await password(PASSWORD)).to.have.property('waitS');
  });

  it('admits no more of 60 tries at once than are free', async () => {
    const tries = Array.from({ length: 60 }, () => password('wrong'));
    const outcomes = await Promise.all(tries);
    const compared = outcomes.filter((outcome) => 'refused' in outcome);
    expect(compared).to.have.length(THROTTLE_POLICIES['account-password'].free);
  });
});
