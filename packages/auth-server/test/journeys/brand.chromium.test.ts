import { objections, widthOf } from '@cls/testing/accessibility';
import { expect } from 'chai';
import { journeys, press, reach, signIn } from '../support/journeys.ts';

/** The lightest that is taken, and nearly black: both schemes must be readable. */
for (const colour of ['#1068bf', '#0a0a14']) {
  describe(`pages in an operator’s colour, ${colour}, with Chromium`, () => {
    const world = journeys({ BRAND_NAME: 'Lindholm Loans', BRAND_COLOUR: colour });

    for (const colorScheme of ['light', 'dark'] as const) {
      it(`axe objects to none, ${colorScheme}, and none scrolls sideways at 320 px`, async () => {
        const viewport = { width: 320, height: 640 };
        const page = await world.open({ colorScheme, viewport });
        await page.goto(`${world.issuer}/account`);
        expect(await objections(page)).to.deep.equal([]);
        await signIn(page, await world.newPerson());
        await reach(page, 'Your account');
        for (const place of ['Sessions', 'Security log']) {
          await press(page, place);
          await reach(page, place);
          expect(await objections(page)).to.deep.equal([]);
          expect(await widthOf(page)).to.be.at.most(viewport.width);
        }
      });
    }
  });
}
