import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { ConfigurationError, EnvironmentReader } from '../src/environment.ts';
import { readMailFrom, readSmtpUrl } from '../src/mail/read-mail-settings.ts';
import { Secret } from '../src/secret.ts';
import { readServiceEnvironment } from '../src/service/service-environment.ts';

describe('reading configuration', () => {
  const faultsOf = (env: Record<string, string>, use: (read: EnvironmentReader) => void) => {
    const read = new EnvironmentReader(env);
    use(read);
    try {
      read.assertNoFaults();
      return [];
    } catch (error) {
      expect(error).to.be.instanceOf(ConfigurationError);
      return (error as ConfigurationError).faults;
    }
  };

  it('tells all faults at once, by name and without their values', () => {
    const faults = faultsOf({ PORT: 'eighty', BASE: 'http://x/', MODE: 'maybe' }, (read) => {
      read.integer('PORT', { about: '', min: 1, max: 9 });
      read.baseUrl('BASE', { about: '' });
      read.choice('MODE', ['on', 'off'], { about: '', fallback: 'on' });
      read.text('NAME', { about: '' });
    });
    expect(faults.map((fault) => fault.split(':')[0])).to.deep.equal([
      'PORT',
      'BASE',
      'MODE',
      'NAME',
    ]);
    expect(faults.join()).not.to.match(/eighty|maybe/);
  });

  it('tells one fault of each variable, the first', () => {
    const faults = faultsOf({ KEY: 'short', OTHER_FILE: '/no/such/file' }, (read) => {
      for (const name of ['KEY', 'OTHER', 'THIRD']) {
        const key = read.optionalSecret(name, { about: '', expected: 'a key', pattern: /^k{9}$/ });
        if (key === undefined) read.fault(name, 'is required');
      }
    });
    expect(faults).to.deep.equal([
      'KEY: expected a key',
      'OTHER_FILE: the file it names cannot be read',
      'THIRD: is required',
    ]);
  });

  it('takes the issuer to be where npm start serves, save in production', () => {
    const issuerOf = (env: Record<string, string>) => {
      const read = new EnvironmentReader(env);
      const { issuer } = readServiceEnvironment(read, 'auth-server', 'AUTH', 8081);
      return issuer;
    };
    expect(issuerOf({})).to.equal('http://localhost:8080');
    expect(issuerOf({ PORT: '9000' })).to.equal('http://localhost:9000');
    expect(issuerOf({ PORT: '9000', ISSUER: 'https://a.example' })).to.equal('https://a.example');
    const faults = faultsOf({ NODE_ENV: 'production', PORT: '9000' }, (read) => {
      readServiceEnvironment(read, 'auth-server', 'AUTH', 8081);
    });
    expect(faults.join()).to.match(/^ISSUER: /);
  });

  it('refuses stores without TLS beyond this machine where TLS is required, each by its name', () => {
    const urls = {
      AUTH_DATABASE_URL: 'postgres://cls@db.example/cls?sslmode=verify-full',
      AUTH_MIGRATIONS_DATABASE_URL: 'postgres://owner:hunter2@db.example/cls',
      REDIS_URL: 'redis://:hunter2@redis.example',
    };
    const faultsWith = (env: Record<string, string>) =>
      faultsOf({ ...urls, ...env }, (read) => {
        readServiceEnvironment(read, 'auth-server', 'AUTH', 8081);
      });
    expect(faultsWith({})).to.deep.equal([]);
    const faults = faultsWith({ REQUIRE_TLS: '1' });
    expect(faults.map((fault) => fault.split(':', 1)[0])).to.deep.equal([
      'AUTH_DATABASE_URL',
      'REDIS_URL',
    ]);
    expect(faults.join()).to.include('REQUIRE_TLS').and.not.include('hunter2');
    const encrypted = {
      REQUIRE_TLS: '1',
      AUTH_MIGRATIONS_DATABASE_URL: 'postgres://owner@db.example/cls?sslmode=verify-full',
      REDIS_URL: 'rediss://redis.example',
    };
    expect(faultsWith(encrypted)).to.deep.equal([]);
  });

  for (const [url, good] of [
    ['postgres://user:pa%2FsSECRET@localhost:5432/cls', true],
    ['postgres://user:p@ssSECRET@one:5432,two:5432/cls', true],
    ['postgres://user:p%SECRET@localhost/cls', true],
    ['postgres://user@[::1]:5432/cls?application_name=a@b', true],
    ['postgres://user@/cls?host=/run/postgresql', true],
    ['postgres:///cls', true],
    ['postgres://user:pa/sSECRET@localhost/cls', false],
    ['postgres://user:12/sSECRET@localhost/cls', false],
    ['postgres://user:12?sSECRET@localhost/cls', false],
    ['postgres://user:pa#sSECRET@localhost/cls', false],
    ['postgres://user:%ffSECRET@localhost/cls', false],
    ['postgres://user:SECRET@localhost:99999/cls', false],
  ] as const) {
    it(`${good ? 'takes' : 'refuses, by its name and without its value,'} ${url}`, () => {
      for (const name of ['AUTH_DATABASE_URL', 'AUTH_MIGRATIONS_DATABASE_URL', 'AUTH_LISTEN_URL']) {
        const faults = faultsOf({ [name]: url }, (read) => {
          readServiceEnvironment(read, 'auth-server', 'AUTH', 8081);
        });
        expect(faults.length === 0, faults.join()).to.equal(good);
        if (!good) expect(faults[0]).to.match(new RegExp(`^${name}: .*percent-encode`));
        expect(faults.join()).not.to.include('SECRET');
      }
    });
  }

  it('refuses a mail server’s URL with a password that is not percent-encoded, without its value', () => {
    const faultsOfUrl = (SMTP_URL: string) =>
      faultsOf({ SMTP_URL }, (read) => readSmtpUrl(read, ''));
    expect(faultsOfUrl('smtp://user:pa%2FsSECRET@localhost:21025')).to.deep.equal([]);
    const [fault] = faultsOfUrl('smtp://user:pa/sSECRET@localhost:21025');
    expect(fault)
      .to.match(/^SMTP_URL: .*percent-encode/)
      .and.not.include('SECRET');
  });

  for (const [from, good] of [
    ['no-reply@cls.example', true],
    ['CLS <no-reply@cls.example>', true],
    ['"CLS, Inc." <no-reply@cls.example>', true],
    ['Crédit Île <no-reply@cls.example>', true],
    ['no address', false],
    ['CLS, Inc. <no-reply@cls.example>', false],
    ['CLS <no-reply>', false],
    ['a@cls.example, b@cls.example', false],
  ] as const) {
    it(`${good ? 'takes' : 'refuses'} ${from} as the sender of messages`, () => {
      const fallback = { fallback: 'CLS <no-reply@localhost>', fallbackText: '' };
      const faults = faultsOf({ MAIL_FROM: from }, (read) => readMailFrom(read, fallback));
      expect(faults).to.deep.equal(
        good ? [] : ['MAIL_FROM: expected an address, or Name <address>'],
      );
    });
  }

  it('keeps the audiences of the two APIs apart', () => {
    const ISSUER = 'https://cls.example';
    const faultsWith = (AUDIENCE: string) =>
      faultsOf({ ISSUER, AUDIENCE }, (read) => {
        readServiceEnvironment(read, 'resource-api', 'API', 8082);
      });
    expect(faultsWith(`${ISSUER}/api`)).to.deep.equal([]);
    expect(faultsWith(`${ISSUER}/admin`).join()).to.match(/^AUDIENCE: .*administrators/);
  });

  for (const [value, good] of [
    ['https://cls.example', true],
    ['http://localhost:8080', true],
    ['https://cls.example/base', true],
    ['https://cls.example/', false],
    ['https://cls.example?x', false],
    ['https://cls.example#x', false],
    ['https://user:pass@cls.example', false],
    ['ftp://cls.example', false],
    ['cls.example', false],
  ] as const) {
    it(`${good ? 'takes' : 'refuses'} ${value} as a base URL`, () => {
      const faults = faultsOf({ BASE: value }, (read) => read.baseUrl('BASE', { about: '' }));
      expect(faults.length === 0).to.equal(good);
    });
  }

  it('reads a secret from a file, and refuses it in two places', () => {
    const file = join(temporaryDirectory('cls-secret-'), 'key');
    writeFileSync(file, 'from a file\n');
    const read = new EnvironmentReader({ KEY_FILE: file });
    expect(read.optionalSecret('KEY', { about: '' })?.expose()).to.equal('from a file');
    const both = { KEY: 'a', KEY_FILE: file };
    expect(faultsOf(both, (r) => r.optionalSecret('KEY', { about: '' }))).to.have.length(1);
    const gone = { KEY_FILE: '/nowhere' };
    expect(faultsOf(gone, (r) => r.optionalSecret('KEY', { about: '' }))).to.have.length(1);
  });
});

describe('a secret', () => {
  it('prints as [secret] however it is printed', () => {
    const secret = new Secret('hunter2');
    const printed = [`${secret}`, JSON.stringify({ secret }), inspect({ secret }), String(secret)];
    expect(printed.join()).not.to.include('hunter2');
  });
});
