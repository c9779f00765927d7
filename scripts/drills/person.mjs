// People who sign in with a browser: into an application that keeps a refresh token, and into the
// explorer, whose pages they read.
import { createHash, randomBytes } from 'node:crypto';
import { Browser } from '../../packages/auth-server/dist/test/support/relying-party.js';
import { Person } from '../../packages/explorer/dist/test/support/person.js';

/** @returns the family of refresh tokens: the newest one, and how often it was used */
export async function signIn({ send, issuer, callers: { person, portal } }) {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('/oauth/authorize', issuer);
  url.search = new URLSearchParams({
    ...{ client_id: portal.clientId, redirect_uri: portal.callback, response_type: 'code' },
    ...{ scope: 'openid email', state: 'drill' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const browser = new Browser(send);
  const { email, password } = person;
  const page = await browser.submit(await browser.follow(url), { email, password });
  const code = page.url.searchParams.get('code');
  if (code === null) throw new Error(`the sign-in ended at ${page.url}`);
  const answer = await send('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, redirect_uri: portal.callback },
      ...{ code_verifier: verifier, client_id: portal.clientId },
    }),
  });
  const { refresh_token: token } = await answer.json();
  if (token === undefined) throw new Error('the sign-in gave no refresh token');
  return { token, used: 0 };
}

/** Somebody in front of the explorer. */
export class Reader {
  #person;
  #others;
  #world;
  /** The date and the time of knowledge of the visit: the numbers of an address with both stand still. */
  #times;

  constructor(world, { email, password }) {
    this.#world = world;
    this.#person = new Person(world.explorer, email, password, world.send);
    this.#others = world.callers.people.map((one) => one.email).filter((one) => one !== email);
  }

  get email() {
    return this.#person.email;
  }

  /** Also where the browser is signed in at the issuer still, and shows no form. */
  async signIn() {
    const page = await this.#person.open('/sign-in?return=%2Fdeals');
    const { issuer, callers } = this.#world;
    const { email } = this.#person;
    const { password } = callers.people.find((one) => one.email === email);
    const { url } =
      page.url.origin === issuer ? await this.#person.submit(page, { email, password }) : page;
    const times = new URLSearchParams(
      ['asOf', 'knownAt'].map((name) => [name, url.searchParams.get(name) ?? '']),
    );
    if (times.get('knownAt') === '') throw new Error(`the sign-in ended at ${url}`);
    this.#times ??= times;
  }

  /** Whether the issuer asks for nothing, because the browser is signed in there. */
  async isSignedInAtIssuer() {
    const { url } = await this.#person.open('/sign-in?return=%2Fdeals');
    return url.origin !== this.#world.issuer;
  }

  /** The addresses that are read in turn: the last one learns its times anew. */
  get addresses() {
    const { deal } = this.#world.callers;
    return [
      ...['/portfolio', '/deals', `/deals/${deal}`].map((path) => `${path}?${this.#times}`),
      '/deals',
    ];
  }

  /** @returns the answer, and the page; where it leads to the issuer, the redirect */
  async open(address) {
    let response = await this.#person.send(address);
    const to = response.headers.get('location');
    // An address without times leads to itself with them.
    if (to?.startsWith(address)) response = await this.#person.send(to);
    const html = await response.text();
    return { response, html, isForeign: this.#others.some((email) => html.includes(email)) };
  }

  isFrozen = (address) => address.includes('knownAt=');
}
