import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import type { Account } from '../src/accounts/account.ts';
import { newClientSecret } from '../src/clients/client-secret.ts';
import { provePassword } from '../src/sign-in/prove.ts';
import { addressSubject } from '../src/throttle/guess.ts';
import { KNOWN_ADDRESS_DAYS, KNOWN_ADDRESSES_MAX } from '../src/throttle/known-addresses.ts';
import { THROTTLE_POLICIES } from '../src/throttle/policy.ts';
import { sweepKnownAddresses } from '../src/throttle/sql-known-addresses.ts';
import {
  type AccountWorld,
  codeAt,
  openAccountWorld,
  PASSWORD,
  TOTP_SECRET,
} from './support/account-world.ts';
import {
  PASSWORD as SERVED_PASSWORD,
  startTestAuthServer,
  totpCode,
} from './support/auth-server.ts';

const FREE = THROTTLE_POLICIES['account-password'].free;
const HOME = '203.0.113.9';
const OFFICE = '2001:db8:1:2:aaaa::1';

describeOnDatabase('a person whose password a stranger guesses at', (engine) => {
  let world: AccountWorld;
  let account: Account;
  let n = 0;
  before(async () => {
    world = await openAccountWorld(engine);
  });
  after(() => world?.close());
  beforeEach(async () => {
    account = await world.newAccount();
    await world.secondFactor.enrol(account.id, TOTP_SECRET);
    for (const address of [HOME, OFFICE]) {
      await world.recordDevice(account, ['pwd'], { address });
    }
    world.pass(60); // The codes of the test before are used.
  });

  const elsewhere = () => {
    n += 1;
    return `10.1.${n >> 8}.${n & 255}`;
  };
  const send = (password: string, address: string, otp?: string) =>
    provePassword(world, addressSubject(address), account.email, password, { otp });
  const guesses = async (times: number, from: () => string, otp?: string) => {
    for (let tries = 0; tries < times; tries += 1) await send(`wrong ${tries}`, from(), otp);
  };
  const code = () => codeAt(world.clock.now());

  it('gets in at the addresses where they signed in before, and not at others', async () => {
    await guesses(FREE + 3, elsewhere);
    expect(await send(PASSWORD, elsewhere())).to.have.property('waitS');
    expect(await send(PASSWORD, HOME)).to.have.property('account');
    expect(await send(PASSWORD, '2001:db8:1:2::77'), 'the same network').to.have.property(
      'account',
    );
    expect(await send(PASSWORD, '2001:db8:1:3::77'), 'another').to.have.property('waitS');
  });

  it('is slowed at an address that they share with the stranger, and at no other', async () => {
    await guesses(30, () => HOME);
    expect(await send(PASSWORD, HOME)).to.have.property('waitS');
    expect(await send(PASSWORD, OFFICE)).to.have.property('account');
    expect(await send(PASSWORD, elsewhere())).to.have.property('account');
    expect(await send(PASSWORD, HOME, code()), 'with a right code').to.have.property('account');
  });

  it('gets in at an address that others have blocked, from a known browser or with a code', async () => {
    const address = elsewhere();
    const spray = () => world.throttle.admit([addressSubject(address)]);
    for (let tries = 0; tries < THROTTLE_POLICIES.address.free + 20; tries += 1) await spray();
    expect(await send(PASSWORD, address), 'unknown').to.have.property('waitS');
    expect(await send(PASSWORD, address, '000000'), 'a made-up code').to.have.property('waitS');
    expect(await send(PASSWORD, address, code())).to.include({ codeAccepted: true });
    const deviceCookie = world.devices.issue(account.email);
    const known = provePassword(world, addressSubject(address), account.email, PASSWORD, {
      deviceCookie,
    });
    expect(await known).to.have.property('account');
  });

  it('is guessed at no more than twenty times from all known addresses, ever', async () => {
    let compared = 0;
    const authenticate = async () => {
      compared += 1;
      return undefined;
    };
    const counting = { ...world, accounts: { ...world.accounts, authenticate } };
    for (let tries = 0; tries < 60; tries += 1) {
      for (const address of [HOME, OFFICE]) {
        await provePassword(counting, addressSubject(address), account.email, 'wrong');
      }
      world.pass(3_601);
    }
    expect(compared).to.equal(20);
  });

  it('gets in anywhere with a right code beside the password, which is used then', async () => {
    await guesses(FREE + 3, elsewhere);
    const otp = code();
    expect(await send(PASSWORD, elsewhere(), otp)).to.include({ codeAccepted: true });
    expect(await send(PASSWORD, elsewhere(), otp)).to.have.property('waitS');
    expect(await send(PASSWORD, elsewhere()), 'without one').to.have.property('waitS');
  });

  it('is guessed at no more where codes are made up, and few of these are compared', async () => {
    await guesses(FREE + 3, elsewhere);
    let passwords = 0;
    let codes = 0;
    const counting = {
      ...world,
      accounts: {
        ...world.accounts,
        authenticate: async () => {
          passwords += 1;
          return undefined;
        },
      },
      secondFactor: {
        ...world.secondFactor,
        accept: async () => {
          codes += 1;
          return 'wrong' as const;
        },
      },
    };
    const offer = (address: string) =>
      provePassword(counting, addressSubject(address), account.email, 'wrong', { otp: '000000' });
    const one = elsewhere();
    for (let tries = 0; tries < 10; tries += 1) await offer(one);
    expect([passwords, codes], 'from one address').to.deep.equal([0, 3]);
    for (let tries = 0; tries < 40; tries += 1) await offer(elsewhere());
    expect([passwords, codes], 'from many').to.deep.equal([0, 20]);
  });

  it('is not let in by a right code with a wrong password, however often that is sent', async () => {
    await guesses(FREE + 3, elsewhere);
    const outcomes = new Set<string>();
    for (let tries = 0; tries < 15; tries += 1) {
      outcomes.add(Object.keys(await send('wrong', elsewhere(), code()))[0] ?? '');
      world.pass(60);
    }
    expect([...outcomes]).to.have.members(['refused', 'waitS']);
  });

  it('is known at the newest few addresses, and at none for ever', async () => {
    for (let each = 0; each < KNOWN_ADDRESSES_MAX + 5; each += 1) {
      world.pass(1);
      await world.knownAddresses.remember(account.id, addressSubject(elsewhere()));
    }
    const rows = () =>
      world.database.query('SELECT FROM known_address WHERE account_id = $1', [account.id]);
    expect(await rows()).to.have.length(KNOWN_ADDRESSES_MAX);
    expect(await world.knownAddresses.knows(account.email, addressSubject(HOME))).to.equal(false);
    const last = addressSubject(elsewhere());
    await world.knownAddresses.remember(account.id, last);
    expect(await world.knownAddresses.knows(account.email, last)).to.equal(true);
    world.pass(KNOWN_ADDRESS_DAYS * 86_400 + 1);
    expect(await world.knownAddresses.knows(account.email, last)).to.equal(false);
    await sweepKnownAddresses(world.database, world.clock);
    expect(await rows()).to.have.length(0);
  });
});

describeOnDatabase('POST /oauth/token, while a stranger guesses', (engine) => {
  it('lets people in behind an address from which programs send wrong secrets', async () => {
    const server = await startTestAuthServer(engine, { TRUSTED_PROXY_HOPS: '1' });
    try {
      const at = { 'x-forwarded-for': HOME };
      const statuses = new Set<number>();
      for (let tries = 0; tries < 130; tries += 1) {
        const client_id = `svc_${`${tries}`.padStart(26, '0')}`;
        const client_secret = newClientSecret().expose();
        const wrong = await server.postJson({ client_id, client_secret }, at);
        statuses.add(wrong.status);
      }
      expect([...statuses]).to.deep.equal([401, 429]);
      expect((await server.postJson(server.person, at)).status).to.equal(200);
    } finally {
      await server.stop();
    }
  });

  it('answers the person at a known address, or with a code, and nobody can tell who has an account', async () => {
    const server = await startTestAuthServer(engine, { TRUSTED_PROXY_HOPS: '1' });
    try {
      let n = 0;
      const ask = (body: object, address = `10.2.0.${++n}`) =>
        server.postJson(body, { 'x-forwarded-for': address });
      const { email, password, totpSecret } = server.guarded;
      const plain = server.person;
      expect((await ask(plain, HOME)).status).to.equal(200);
      const nobody = 'nobody@india.example';
      for (const who of [plain.email, email, nobody]) {
        for (let tries = 0; tries < FREE; tries += 1) await ask({ email: who, password: 'wrong' });
      }
      expect((await ask(plain)).status, 'elsewhere').to.equal(429);
      expect((await ask(plain, HOME)).status, 'at home').to.equal(200);
      const answers: string[] = [];
      for (const who of [email, nobody, plain.email]) {
        const refused = await ask({ email: who, password: SERVED_PASSWORD, otp: '000000' });
        const { error, error_description: text } = (await refused.json()) as Record<string, string>;
        answers.push(`${refused.status} ${error} ${text?.replace(/\d+/, 'N')}`);
      }
      expect(new Set(answers)).to.have.property('size', 1);
      expect((await ask({ email, password })).status).to.equal(429);
      const otp = totpCode(totpSecret);
      expect((await ask({ email, password, otp })).status, 'with a code').to.equal(200);
    } finally {
      await server.stop();
    }
  });
});
