import { expect } from 'chai';
import { isOfLargeBody, isOfUnreadableBody } from '../../src/library/reliances/unreadable-body.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

const FORM = 'application/x-www-form-urlencoded';

describe('the library’s error for a body that it cannot read', () => {
  let bare: BareProvider;
  const errors: { error_description?: string | undefined }[] = [];
  before(async () => {
    bare = await startBareProvider({
      prepare(provider) {
        for (const event of ['grant.error', 'end_session_confirm.error'] as const) {
          provider.on(event as 'grant.error', (_, error) => errors.push(error));
        }
      },
    });
  });
  after(() => bare?.stop());

  const send = async (path: string, body: string, type: string) => {
    errors.length = 0;
    const headers = { 'content-type': type, accept: 'application/json' };
    await fetch(`${bare.issuer}${path}`, { method: 'POST', body, headers });
    const [error] = errors;
    return {
      large: isOfLargeBody(error),
      unreadable: isOfUnreadableBody(error?.error_description),
    };
  };

  for (const path of ['/token', '/session/end/confirm']) {
    it(`says at ${path} that a form is too large`, async () => {
      const seen = await send(path, 'a'.repeat(60_000), FORM);
      expect(seen).to.deep.equal({ large: true, unreadable: true });
    });

    it(`says at ${path} that a body is no form`, async () => {
      const seen = await send(path, '{}', 'application/json');
      expect(seen).to.deep.equal({ large: false, unreadable: true });
    });

    it(`says neither at ${path} of a form that it can read`, async () => {
      const seen = await send(path, 'grant_type=none', FORM);
      expect(seen).to.deep.equal({ large: false, unreadable: false });
    });
  }
});
