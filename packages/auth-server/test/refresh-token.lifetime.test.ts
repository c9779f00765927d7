import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { refuseAfterAbsoluteLife } from '../src/library/refresh-lifetime.ts';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const DAY_MS = 86_400_000;

describe('the life of a refresh token', () => {
  const { now } = Date;
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(anyEngine, {
      REFRESH_TOKEN_TTL: `${2 * 86_400}`,
      REFRESH_ABSOLUTE_S: `${12 * 86_400}`,
    });
  });
  after(() => server?.stop());
  afterEach(() => {
    Date.now = now;
  });

  const signIn = async () => {
    const { party, token } = await signInWith(server);
    return { party, token };
  };
  const signInWith = async (server: TestAuthServer) => {
    const party = await relyingParty(server, { confidential: false });
    const flow = await authorizationUrl(party);
    const browser = new Browser();
    const { url } = await browser.submit(await browser.follow(flow.url), {
      ...{ email: server.person.email, password: PASSWORD },
    });
    const { refresh_token: token = '' } = await exchange(party, flow, url);
    return { party, browser, token };
  };
  const refresh = ({ config }: RelyingParty, token: string, more: Record<string, string> = {}) =>
    client.refreshTokenGrant(config, token, more).then(
      ({ refresh_token: next = '' }) => ({ next }),
      ({ error }: client.ResponseBodyError) => ({ error }),
    );

  it('does not end with a request for a resource that it is not for', async () => {
    const { party, token } = await signIn();
    for (const resource of [
      server.config.audience,
      `${server.issuer}/admin`,
      'https://x.example',
    ]) {
      expect(await refresh(party, token, { resource })).to.deep.equal({ error: 'invalid_target' });
    }
    expect(await refresh(party, token)).to.have.property('next');
  });

  it('ends when it is revoked, although it was used a moment before', async () => {
    const { party, token } = await signIn();
    const { next = '' } = (await refresh(party, token)) as { next?: string };
    await client.tokenRevocation(party.config, token);
    expect(await refresh(party, next)).to.deep.equal({ error: 'invalid_grant' });
    expect(await refresh(party, token)).to.deep.equal({ error: 'invalid_grant' });
  });

  it('is not good for a moment more when the customer is disabled', async () => {
    const { party, token } = await signIn();
    await refresh(party, token);
    const { database } = server;
    await sqlCustomers(database).setDisabled('india', true);
    expect(await refresh(party, token)).to.deep.equal({ error: 'invalid_grant' });
    await sqlCustomers(database).setDisabled('india', false);
  });

  it('that comes again after the grace ends all that came of it', async () => {
    const { party, token } = await signIn();
    const { next = '' } = (await refresh(party, token)) as { next?: string };
    // The grace begins once the answer was sent.
    await eventually(async () => {
      const waiting = await server.database.query(
        `SELECT 1 FROM protocol_state
         WHERE kind = 'RefreshToken.spent' AND NOT payload @> '{"settled": true}'`,
      );
      expect(waiting).to.deep.equal([]);
    });
    await server.database.query(
      `UPDATE protocol_state SET expires_at = now() WHERE kind = 'RefreshToken.spent'`,
    );
    const request = (value: string) =>
      server.post(`grant_type=refresh_token&refresh_token=${value}&client_id=${party.id}`, {
        'content-type': 'application/x-www-form-urlencoded',
      });
    for (const value of [token, next]) {
      const answer = await request(value);
      expect(answer.status).to.equal(400);
      expect(await answer.json()).to.have.property('error', 'invalid_grant');
    }
  });

  it('is still good when its answer could not be kept', async () => {
    const { party, token } = await signIn();
    const { database } = server;
    await database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$`);
    await database.query(`
      CREATE TRIGGER refuse BEFORE INSERT ON protocol_state
      FOR EACH ROW WHEN (NEW.kind = 'RefreshToken.spent') EXECUTE FUNCTION refuse()`);
    const answer = await refresh(party, token).finally(() =>
      database.query('DROP FUNCTION refuse CASCADE'),
    );
    expect(answer).not.to.have.property('next');
    expect(await refresh(party, token))
      .to.have.property('next')
      .that.is.a('string')
      .and.not.equal(token);
  });

  /** Lets days pass before each refresh. @returns the error, if there is one */
  const daily = async () => {
    const { party, token: first } = await signIn();
    let token = first;
    return async (days: number) => {
      const shifted = Date.now;
      Date.now = () => shifted() + days * DAY_MS;
      const answer = await server.post(
        `grant_type=refresh_token&refresh_token=${token}&client_id=${party.id}`,
        { 'content-type': 'application/x-www-form-urlencoded' },
      );
      const body = (await answer.json()) as { error?: string; refresh_token?: string };
      token = body.refresh_token ?? '';
      return body.error;
    };
  };

  it('goes on while it is used, and ends when it is not', async () => {
    const refreshAfter = await daily();
    for (let day = 1; day <= 8; day += 1)
      expect(await refreshAfter(1), `${day}`).to.equal(undefined);
    expect(await refreshAfter(2.1)).to.equal('invalid_grant');
  });

  it('ends a fixed time after the sign-in, however often it is used and rotated', async () => {
    const refreshAfter = await daily();
    for (let day = 1; day <= 11; day += 1)
      expect(await refreshAfter(1), `${day}`).to.equal(undefined);
    expect(await refreshAfter(0.9)).to.equal(undefined);
    expect(await refreshAfter(0.2)).to.equal('invalid_grant');
  });

  it('ends too where it was given out for longer than is configured now', () => {
    const settings = { refreshTokenTtlS: 2_000, refreshAbsoluteS: 1_000 };
    const signedIn = (agoS: number) => ({ authTime: Math.floor(Date.now() / 1_000) - agoS });
    expect(() => refuseAfterAbsoluteLife(settings, signedIn(900))).to.not.throw();
    expect(() => refuseAfterAbsoluteLife(settings, signedIn(1_001))).to.throw('invalid_grant');
    expect(() => refuseAfterAbsoluteLife(settings, {})).to.throw('invalid_grant');
  });

  it('is not given out to an application that comes when the sign-in is too old for one', async () => {
    const brief = await startTestAuthServer(anyEngine, { REFRESH_ABSOLUTE_S: '300' });
    try {
      const { browser } = await signInWith(brief);
      Date.now = () => now() + 400_000;
      const other = await relyingParty(brief, { confidential: false });
      const flow = await authorizationUrl(other, { prompt: 'none' });
      const { url } = await browser.follow(flow.url);
      const tokens = await exchange(other, flow, url);
      expect(tokens).to.have.property('access_token');
      expect(tokens).to.not.have.property('refresh_token');
    } finally {
      Date.now = now;
      await brief.stop();
    }
  });
});
