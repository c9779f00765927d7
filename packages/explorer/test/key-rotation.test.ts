import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { type Services, startServices, VIEW } from './support/services.ts';

describe('an issuer that signs with a new key', () => {
  let services: Services;
  before(async () => {
    services = await startServices();
  });
  after(() => services?.stop());

  it('signs people in at once, though its key set was read a moment ago', async () => {
    const before = await services.person(VIEW);
    await before.signIn('/changes');
    expect(before.visited.at(-1)).to.include('/changes');
    const { signingKeys, auth } = services;
    const staged = await signingKeys.stage();
    await signingKeys.promote({ early: true });
    const { id, secret } = auth.client;
    await eventually(async () => {
      const answer = await auth.postJson({ client_id: id, client_secret: secret });
      const { access_token: token } = (await answer.json()) as { access_token: string };
      const [head = ''] = token.split('.');
      const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
      expect(staged).to.have.nested.property('key.kid', kid);
    });
    const after = await services.person(VIEW);
    const { url } = await after.signIn('/changes');
    expect(url.pathname).to.equal('/changes');
  });
});
