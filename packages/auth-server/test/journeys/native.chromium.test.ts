import { expect } from 'chai';
import { journeys, press, reach, type Site, signIn } from '../support/journeys.ts';

describe('an application on a person’s own device, with Chromium', () => {
  const world = journeys();
  let desktop: Site;
  before(async () => {
    desktop = await world.nativeApplication('Ledger desktop');
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`asks each time, and never gets a code silently, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const page = await world.open({ javaScriptEnabled });
      const first = await desktop.ask();
      await page.goto(first.url.href);
      await signIn(page, await world.newPerson());
      await reach(page, 'Allow access?');
      const warning = page.getByText('Allow it only if you have just started');
      expect(await warning.count()).to.equal(1);
      await press(page, 'Allow');
      expect(await desktop.arrive(page, first)).to.have.property('refresh_token');

      await page.goto((await desktop.ask({ prompt: 'none' })).url.href);
      expect((await desktop.answer(page)).get('error')).to.equal('interaction_required');

      const second = await desktop.ask();
      await page.goto(second.url.href);
      await reach(page, 'Allow access?');
      await press(page, 'Deny');
      expect((await desktop.answer(page)).get('error')).to.equal('access_denied');
    });
  }

  it('asks in German', async () => {
    const page = await world.open({ locale: 'de-DE' });
    const flow = await desktop.ask();
    await page.goto(flow.url.href);
    await page.locator('input[name=email]').fill(await world.newPerson());
    await page.locator('input[name=password]').fill('correct horse battery staple');
    await press(page, 'Anmelden');
    await reach(page, 'Zugriff erlauben?');
    expect(await page.getByText('gerade selbst gestartet haben').count()).to.equal(1);
    await press(page, 'Erlauben');
    expect(await desktop.arrive(page, flow)).to.have.property('access_token');
  });
});
