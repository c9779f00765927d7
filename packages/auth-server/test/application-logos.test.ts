import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOnDatabase } from '@cls/testing/engines';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { LOGO_MAX_BYTES } from '../src/clients/logo.ts';
import { createPerson, PASSWORD } from './support/auth-server.ts';
import { applicationRecords } from './support/client-records.ts';
import { authorizationUrl, Browser, REDIRECT_URI } from './support/relying-party.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

const EMAIL = 'logo@india.example';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex');
const WEBP = Buffer.from('RIFF\x04\0\0\0WEBPVP8 ', 'latin1');
const CREATE = `applications create --redirect-uri ${REDIRECT_URI}`;

describeOnDatabase('the logo of an application', (engine) => {
  const folder = temporaryDirectory('cls-logos-');
  let world: ToolWorld;
  let id: string;
  before(async () => {
    world = await toolWorld(engine);
    await createPerson(world.server.database, EMAIL);
    ({ clientId: id } = await world.done(`${CREATE} --name Firm --third-party`));
  });
  after(() => world?.stop());

  const file = (name: string, body: string | Buffer) => {
    writeFileSync(join(folder, name), body);
    return join(folder, name);
  };
  const register = async (logo: string) =>
    (await world.done(`applications update ${id} ${logo}`)).logo as string | null;
  const served = (name: string | null) => fetch(`${world.server.issuer}/assets/${name}`);
  const stored = () =>
    world.owner.query('SELECT id, name, logo_name, logo FROM application ORDER BY id');

  for (const [type, name, body] of [
    ['image/png', 'a.png', PNG],
    ['image/jpeg', 'a.jpg', JPEG],
    ['image/webp', 'named-otherwise.png', WEBP],
  ] as const) {
    it(`is served as ${type} under a name that changes with it, to be cached for ever`, async () => {
      const logo = await register(`--logo ${file(name, body)}`);
      const answer = await served(logo);
      expect(answer.status).to.equal(200);
      expect(Buffer.from(await answer.arrayBuffer())).to.deep.equal(body);
      const { headers } = answer;
      expect(headers.get('content-type')).to.equal(type);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(headers.getSetCookie()).to.deep.equal([]);
      const etag = headers.get('etag') ?? '';
      const again = await fetch(answer.url, { headers: { 'if-none-match': etag } });
      expect(again.status).to.equal(304);
    });
  }

  it('may be given with a new application, whose record has its name alone', async () => {
    const created = await world.done(`${CREATE} --name New --logo ${file('b.png', PNG)}`);
    const record = await applicationRecords(world.owner).find(created.clientId);
    expect(record?.logo)
      .to.equal(created.logo)
      .and.match(/^[\w-]{43}\.png$/);
    await world.done(`applications delete ${created.clientId}`);
  });

  it('is refused where it is no picture, too large or missing; nothing is changed', async () => {
    await register(`--logo ${file('a.png', PNG)}`);
    mkdirSync(join(folder, 'folder.png'));
    const before = await stored();
    const large = Buffer.concat([PNG, Buffer.alloc(LOGO_MAX_BYTES)]);
    for (const [path, code, says] of [
      [file('large.png', large), 2, 'at most 32768 bytes'],
      [file('drawing.png', '<svg xmlns="http://www.w3.org/2000/svg"/>'), 2, 'PNG, JPEG or WebP'],
      [file('text.jpg', 'no picture'), 2, 'PNG, JPEG or WebP'],
      [file('empty.webp', ''), 2, 'PNG, JPEG or WebP'],
      [join(folder, 'missing.png'), 1, 'ENOENT'],
      [join(folder, 'folder.png'), 1, 'EISDIR'],
    ] as const) {
      for (const words of [`applications update ${id} --name Other`, `${CREATE} --name Third`]) {
        const refused = await world.run(`${words} --logo ${path}`);
        expect([refused.code, refused.stdout], path).to.deep.equal([code, '']);
        expect(refused.stderr).to.include(says);
      }
    }
    expect(await stored()).to.deep.equal(before);
    const largest = large.subarray(0, LOGO_MAX_BYTES);
    expect((await served(await register(`--logo ${file('ok.png', largest)}`))).status).to.equal(
      200,
    );
  });

  it('stands where people sign in and allow access, and on their list, until it is taken away', async () => {
    const logo = await register(`--logo ${file('a.png', PNG)}`);
    const config = await client.discovery(
      ...([new URL(world.server.issuer), id, undefined, client.None()] as const),
      { execute: [client.allowInsecureRequests] },
    );
    const picture = `<img src="/assets/${logo}" width="40" height="40" alt="">`;
    const pagesOf = async () => {
      const browser = new Browser();
      const { url } = await authorizationUrl({ id, config }, { prompt: 'login consent' });
      const signIn = await browser.follow(url);
      const text = await signIn.response.text();
      const answer = { email: EMAIL, password: PASSWORD };
      const consent = await browser.submit({ ...signIn, text }, answer);
      const consentText = await consent.response.text();
      await browser.submit({ ...consent, text: consentText }, { decision: 'allow' });
      const { response } = await browser.follow(`${world.server.issuer}/account/applications`);
      expect(response.headers.get('content-security-policy')).to.include("img-src 'self';");
      return [text, consentText, await response.text()];
    };
    for (const text of await pagesOf()) expect(text).to.include(picture).and.include('Firm');
    expect(await register('--no-logo')).to.equal(null);
    for (const text of await pagesOf()) expect(text).to.include('Firm').and.not.include('<img');
    expect((await served(logo)).status).to.equal(404);
  });

  it('is served for no unknown and no disabled application', async () => {
    const logo = await register(`--logo ${file('a.png', PNG)}`);
    expect((await served(`${'A'.repeat(43)}.png`)).status).to.equal(404);
    expect((await served(logo?.replace('.png', '.jpg') ?? null)).status).to.equal(404);
    await world.done(`applications disable ${id}`);
    expect((await served(logo)).status).to.equal(404);
    await world.done(`applications enable ${id}`);
    expect((await served(logo)).status).to.equal(200);
  });
});
