import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ROOMS, ROUTE_TABLE, routeOf } from '../src/server/route-table.ts';
import {
  ACCOUNT_PLACE_PATHS,
  INVITATION_PATH,
  NEW_PASSWORD_PATH,
  RESET_PATH,
} from '../src/web/paths.ts';

const read = (path: string) =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const firstPartOf = (path: string) => path.split('/')[1] ?? '';
const parts = [...new Set(ROUTE_TABLE.map(({ path }) => firstPartOf(path)))];

describe('the table of routes', () => {
  it('names each path once', () => {
    const paths = ROUTE_TABLE.map(({ path }) => path);
    expect(new Set(paths).size).to.equal(paths.length);
  });

  it('has a path for each room', () => {
    expect(new Set(ROUTE_TABLE.map(({ room }) => room))).to.deep.equal(new Set(ROOMS));
  });

  it('takes a part that changes for one of its kind alone', () => {
    const roomOf = (path: string) => routeOf(path)?.room;
    expect(roomOf('/interaction/0123456789')).to.equal('interaction');
    expect(roomOf('/interaction/012345678')).to.equal(undefined);
    expect(roomOf('/interaction/0123456789/sign-in')).to.equal('interaction');
    expect(roomOf('/interaction/0123456789/enrol/totp')).to.equal('interaction');
    expect(roomOf('/interaction/0123456789/enrol/other')).to.equal(undefined);
    expect(roomOf('/device/allowed')).to.equal('device');
    expect(roomOf('/oauth/token/')).to.equal(undefined);
    expect(roomOf('/oauth/jwks')).to.equal(undefined);
    expect(roomOf('/xwell-known/jwks.json')).to.equal(undefined);
  });

  it('is what the gateway of npm start sends to this service', () => {
    const [, listed = ''] =
      /AUTH_PATHS =\s*\/\^\\\/\(([^)]*)\)/.exec(read('scripts/platform.mjs')) ?? [];
    const sent = listed.replaceAll('\\', '').split('|');
    expect(sent).to.have.members(parts);
  });

  it('is what nginx sends to this service', () => {
    const locations = [
      ...read('deploy/nginx.conf').matchAll(/location (?:= )?(\/\S*) \{[^}]*auth_server/g),
    ];
    const sent = locations.map(([, path = '']) => firstPartOf(path)).filter((part) => part !== '');
    expect([...new Set(sent)]).to.have.members(parts);
  });

  it('has what messages lead to', () => {
    for (const path of [NEW_PASSWORD_PATH, INVITATION_PATH, RESET_PATH]) {
      expect(routeOf(path)?.room).to.equal('passwordPages');
    }
    for (const path of Object.values(ACCOUNT_PLACE_PATHS)) {
      expect(routeOf(path)?.room).to.equal('accountPages');
    }
  });
});
