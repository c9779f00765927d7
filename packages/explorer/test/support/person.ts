export interface Page {
  readonly url: URL;
  readonly response: Response;
  readonly html: string;
}

/** As `fetch` takes and gives it. */
type Send = (url: URL, init: RequestInit) => Promise<Response>;

/** A browser without scripts: keeps cookies by host, as browsers do, and follows redirects. */
export class Person {
  readonly email: string;
  readonly #home: string;
  readonly #password: string;
  readonly #fetch: Send;
  readonly #cookies = new Map<string, string>();
  /** A code of the person's second factor, which is accepted once. */
  readonly #code: (() => Promise<string>) | undefined;
  /** Every address that the browser was at. */
  readonly visited: string[] = [];

  constructor(
    home: string,
    email: string,
    password: string,
    send: Send = fetch,
    code?: () => Promise<string>,
  ) {
    this.#home = home;
    this.email = email;
    this.#password = password;
    this.#fetch = send;
    this.#code = code;
  }

  /** Another browser of the same person. */
  another(home = this.#home): Person {
    return new Person(home, this.email, this.#password, this.#fetch, this.#code);
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  plant(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  forget(name: string): void {
    this.#cookies.delete(name);
  }

  /** One request; it follows nothing. */
  async send(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, this.#home);
    this.visited.push(url.href);
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(init.headers as object), cookie };
    const response = await this.#fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const cut = pair.indexOf('=');
      if (/expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(pair.slice(0, cut));
      else this.#cookies.set(pair.slice(0, cut), pair.slice(cut + 1));
    }
    return response;
  }

  /** The page at the end of all redirects. */
  async open(address: string, init: RequestInit = {}): Promise<Page> {
    let at = new URL(address, this.#home).href;
    let response = await this.send(at, init);
    for (let hops = 0; hops < 15; hops += 1) {
      const [, refresh = null] = /^0; url=(.*)$/.exec(response.headers.get('refresh') ?? '') ?? [];
      const to = response.headers.get('location') ?? refresh;
      if (to === null) return { url: new URL(at), response, html: await response.text() };
      at = new URL(to, at).href;
      response = await this.send(at, init.headers === undefined ? {} : { headers: init.headers });
    }
    throw new Error('too many redirects');
  }

  /** Sends the first form with method post, with these fields filled in. */
  submit(page: Page, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    const { action, body } = formOf(page, fields);
    return this.open(action, { method: 'POST', body });
  }

  /** Opens an address, and signs in on the way. */
  async signIn(address = '/deals'): Promise<Page> {
    const page = await this.open(address);
    const next = await this.submit(page, { email: this.email, password: this.#password });
    const code = await this.nextCode();
    return code === undefined ? next : this.submit(next, { code });
  }

  /** Undefined for a person without a second factor. */
  async nextCode(): Promise<string | undefined> {
    return this.#code?.();
  }
}

/** What a browser would send for the first form of a page with method post. */
export function formOf({ html, url }: Page, fields: Readonly<Record<string, string>> = {}) {
  const [, action = '', inner = ''] =
    /<form (?:[^>]*\s)?method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(html) ?? [];
  if (action === '') throw new Error(`no form at ${url}: ${html.slice(0, 400)}`);
  const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const pairs = hidden.map(([, name = '', value = '']): [string, string] => [name, value]);
  const body = new URLSearchParams(pairs);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { action: new URL(action, url).href, body };
}
