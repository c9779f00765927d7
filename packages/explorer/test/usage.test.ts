import { gzipSync } from 'node:zlib';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { usageOf } from './support/every-page.ts';
import { linkNamed, rowsOf, textOf } from './support/reading.ts';
import { ADMINISTER, type Services, sharedServices, VIEW } from './support/services.ts';

describe('the page of the use of the API', () => {
  let services: Services;
  before(async () => {
    services = await sharedServices();
  });
  afterEach(() => {
    services.between.change = undefined;
    services.between.fault = undefined;
  });

  it('shows an administrator the requests of the own customer, by version, client and operation', async () => {
    const person = await services.administrator([VIEW]);
    const first = await person.signIn('/usage');
    expect(first.url.pathname + first.url.search).to.equal('/usage');
    expect(linkNamed(first.html, 'Portfolio')).to.equal('/portfolio');
    // The services count in the background.
    const page = await eventually(async () => {
      const loaded = await person.open('/usage');
      if (rowsOf(loaded.html, 'operations').length < 2) throw new Error('not counted yet');
      return loaded;
    });
    expect(rowsOf(page.html, 'versions').map(({ head }) => head)).to.deep.equal(['v1']);
    const clients = rowsOf(page.html, 'clients');
    expect(clients.map(({ head }) => head)).to.deep.equal([services.clientId]);
    const operations = rowsOf(page.html, 'operations').map(({ head }) => head);
    expect(operations).to.have.members(['GET /cls/me', 'GET /cls/usage']);
    expect(Number(clients[0]?.numbers[0])).to.be.greaterThan(1);
  });

  it('marks versions that are deprecated or end', async () => {
    const person = await services.administrator([VIEW]);
    await person.signIn('/usage');
    services.between.change = (answer) =>
      answer.replace(
        '"versionId":"v1","support":"Supported","retirement":"N/A"',
        '"versionId":"v1","support":"Deprecated","retirement":"2031-12-01T00:00:00Z"',
      );
    await eventually(async () => {
      const { html } = await person.open('/usage');
      const [row] = rowsOf(html, 'versions');
      if (row === undefined) throw new Error('not counted yet');
      expect(row.head).to.equal('v1 deprecated ends on 1 Dec 2031');
    });
  });

  it('is there for an administrator who may see no balances, and leads to none', async () => {
    const person = await services.administrator([]);
    const page = await person.signIn('/usage');
    expect(page.response.status).to.equal(200);
    expect(page.html).to.include('Use of the API').and.not.include('href="/portfolio');
  });

  it('weighs at most 60 kB, and 15 kB compressed, with 50 clients and 50 operations', async () => {
    const person = await services.administrator([VIEW]);
    await person.signIn('/usage');
    services.between.fault = usageOf(101);
    const { html } = await person.open('/usage');
    expect(rowsOf(html, 'clients')).to.have.lengthOf(50);
    expect(html).to.include('These are the 50 with the most requests');
    expect(Buffer.byteLength(html)).to.be.at.most(60_000);
    expect(gzipSync(html).length).to.be.at.most(15_000);
  });

  it('is in German too', async () => {
    const person = await services.administrator([VIEW]);
    await person.signIn('/usage');
    const page = await person.open('/usage?lang=de');
    expect(textOf(/<h1>(.*?)<\/h1>/.exec(page.html)?.[1] ?? '')).to.equal('API-Nutzung');
  });

  it('is not shown to others, who are told what is needed', async () => {
    const person = await services.person(VIEW);
    const page = await person.signIn('/usage');
    expect(page.response.status).to.equal(403);
    expect(page.html).to.include(ADMINISTER);
    expect((await person.open('/portfolio')).response.status).to.equal(200);
  });

  it('is not shown to an administrator who signed in without a second factor', async () => {
    const person = await services.administrator([VIEW], false);
    const page = await person.signIn('/usage');
    expect(page.response.status).to.equal(403);
    expect(page.html).to.include('second factor');
  });

  it('asks for the permission where it is opened, and nowhere else', async () => {
    const person = await services.administrator([VIEW]);
    await person.signIn('/portfolio');
    services.between.asked.length = 0;
    const page = await person.open('/usage');
    expect(page.response.status).to.equal(200);
    expect(page.url.search).to.equal('');
    // Refused with the token of before, answered with the new one, and loaded at its own address.
    expect(services.between.asked.filter((path) => path.includes('/usage'))).to.have.lengthOf(3);
  });

  it('says so where the operator has not registered the explorer for the permission', async () => {
    const person = await services.administrator([VIEW]);
    const scopes = (one: string) =>
      services.auth.database.query(`UPDATE application SET scopes = ${one} WHERE id = $1`, [
        services.clientId,
      ]);
    await scopes(`array_remove(scopes, '${ADMINISTER}')`);
    try {
      await person.signIn('/portfolio');
      const page = await person.open('/usage');
      expect(page.response.status).to.equal(403);
      expect(page.html).to.include('registers this application');
      expect((await person.open('/portfolio')).response.status).to.equal(200);
    } finally {
      await scopes(`scopes || '{${ADMINISTER}}'`);
    }
  });
});
