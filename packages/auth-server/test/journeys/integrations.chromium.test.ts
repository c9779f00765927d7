import { INTEGRATIONS_PERMISSION } from '@cls/shared/access-token';
import { expect } from 'chai';
import { basic, VIEW } from '../support/auth-server.ts';
import { serviceAccountRecords } from '../support/client-records.ts';
import { enterCode, journeys, press, reach, signIn } from '../support/journeys.ts';

/** Longer ago than a proof is good for. */
const STALE_S = 400;

describe('the integrations of a customer, with Chromium', () => {
  const world = journeys();

  const tokenWith = async (id: string, secret: string) => {
    const { server } = world;
    const response = await server.post('grant_type=client_credentials', basic(id, secret));
    return response.status;
  };

  it('are replaced, made and ended by an administrator, who sees each new secret once', async () => {
    const page = await world.open();
    const { email, app } = await world.newGuardedPerson();
    await world.server.database.query(
      'UPDATE account SET permissions = permissions || $2::text[] WHERE email = $1',
      [email, [INTEGRATIONS_PERMISSION]],
    );
    const records = serviceAccountRecords(world.server.database);
    const { id, secret } = await records.create({
      ...{ name: 'Treasury', customer: 'india', permissions: [VIEW] },
    });
    const shown = async () => {
      await reach(page, 'Save the new secret');
      const text = (await page.locator('#secret').textContent()) ?? '';
      expect(page.url()).to.not.include(text);
      return text;
    };
    await page.goto(`${world.issuer}/account`);
    await signIn(page, email);
    await enterCode(page, app);
    await reach(page, 'Your account');
    await world.age(page, STALE_S);
    await page.getByRole('link', { name: 'Integrations' }).click();
    await reach(page, 'Integrations');
    const treasury = page.locator('section.box', { hasText: 'Treasury' });
    await treasury.getByRole('link', { name: /^Replace sec_/ }).click();
    await reach(page, 'Confirm that it is you');
    await page.getByText('You are about to change the secrets').waitFor();
    await enterCode(page, app);
    await reach(page, 'Replace this secret');
    await page.getByLabel('in 7 days').check();
    await press(page, 'Replace secret');
    const replaced = await shown();
    expect(await tokenWith(id, secret.expose()), 'the old one').to.equal(200);
    expect(await tokenWith(id, replaced), 'the new one').to.equal(200);
    await page.reload();
    await reach(page, 'Integrations');
    await treasury.getByRole('link', { name: 'New secret for Treasury' }).click();
    await page.getByLabel('Name of the secret').fill('Reports');
    await press(page, 'Create secret');
    const created = await shown();
    await press(page, 'I saved it');
    await reach(page, 'Integrations');
    await page.goBack();
    await reach(page, 'Integrations');
    await treasury.getByRole('link', { name: 'This one has leaked: Reports' }).click();
    await reach(page, 'Has this secret leaked?');
    await press(page, 'End all secrets now');
    const newest = await shown();
    for (const ended of [secret.expose(), replaced, created]) {
      expect(await tokenWith(id, ended)).to.equal(401);
    }
    expect(await tokenWith(id, newest)).to.equal(200);
    await press(page, 'I saved it');
    await press(page, 'Token requests');
    await reach(page, 'Token requests');
    await page.getByText('The secret or key is wrong or has ended').first().waitFor();
    await press(page, 'Back to integrations');
    await press(page, 'People');
    await page.getByRole('main').getByText(email).waitFor();
  });
});
