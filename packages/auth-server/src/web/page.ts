import { timingSafeEqual } from 'node:crypto';
import {
  handLanguageTo,
  LOCALES,
  type Locale,
  pageLanguage,
  readFormBody,
} from '@cls/shared/pages/browser';
import { pagePolicy } from '@cls/shared/pages/document';
import { inEachLanguage } from '@cls/shared/pages/i18n';
import type { Secret } from '@cls/shared/secret';
import { isStorable } from '@cls/shared/text';
import type { Context } from 'koa';
import { hashWith } from '../crypto/digest.ts';
import type { PageAssets } from './assets.ts';
import { LANGUAGE_COOKIE, uiLocalesOf } from './browser.ts';
import type { RenderableProblem } from './form.ts';
import { type I18n, readLanguages } from './i18n.ts';
import type { Frame } from './layout.ts';

export interface Page {
  readonly status?: number;
  /** Why the form was refused. They decide the status when `status` is not given. */
  readonly problems?: readonly RenderableProblem[];
  /** Where the page's forms end after redirects: registered URIs. */
  readonly formTargets?: readonly string[];
  /** What the form token is bound to: the interaction. */
  readonly csrf?: string;
  /** Whose page it is: a form that comes after another person has signed in says so. */
  readonly person?: string;
  /**
   * The query with which a GET shows this page again, when it is not the request's; `false` when
   * nothing does.
   */
  readonly again?: string | false;
  readonly render: (frame: Frame, i18n: I18n) => string;
}

export type Form = Readonly<Record<string, string>>;

/** `sent` says only what somebody sent: nothing may be done with it. */
type ReadForm =
  | { readonly form: Form }
  | { readonly refused: 'form_unreadable' | 'form_refused'; readonly sent?: Form };

export interface Pages {
  readonly issuer: string;
  /** Answers with a page in the reader's language. */
  show(ctx: Context, page: Page): void;
  /** A page that belongs to no address, in each language. */
  renderAll(render: Page['render']): Readonly<Record<Locale, string>>;
  /**
   * The fields of a form whose page was bound to `csrf` (to nothing when that is empty), or why it
   * is refused.
   */
  readForm(ctx: Context, csrf: string): Promise<ReadForm>;
  /** Whether a form that is not ours came from a page of ours for this person; for words alone. */
  wasFor(form: Form, person: string): boolean | undefined;
  /** A path with the issuer's own before it. */
  path(path: string): string;
}

export interface PageSettings {
  readonly issuer: string;
  readonly assets: PageAssets;
  readonly formKey: Secret;
  /** The key that `formKey` replaces: forms that were shown before are still taken. */
  readonly previousFormKey?: Secret | undefined;
  readonly supportUrl: string | undefined;
  readonly policyUrl: string | undefined;
  /** Where people see balances. */
  readonly explorerUrl?: string | undefined;
  /** What the operator calls this service; `CLS` otherwise. */
  readonly product?: string;
}

export function pages(settings: PageSettings): Pages {
  const { issuer, assets, formKey, previousFormKey, supportUrl, policyUrl, explorerUrl } = settings;
  const { pathname } = new URL(issuer);
  const basePath = pathname === '/' ? '' : pathname;
  const path = (below: string) => `${basePath}${below}`;
  const languages = readLanguages(settings.product);
  const signWith = (key: Secret) => hashWith(Buffer.from(key.expose()));
  const sign = signWith(formKey);
  const signs = [sign, ...(previousFormKey ? [signWith(previousFormKey)] : [])];
  const tokenFor = (csrf: string, by = sign) => by(`form ${csrf}`);
  const isOurs = (form: Form, csrf: string) => {
    const given = Buffer.from(form['csrf']?.split('.')[0] ?? '');
    return signs.some((by) => {
      const expected = Buffer.from(tokenFor(csrf, by));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  };
  const markOf = (person: string, by = sign) => tokenFor(`person ${person}`, by).slice(0, 22);
  const below = Object.entries(assets.paths).map(([name, one]) => [name, path(one)]);
  const paths = Object.fromEntries(below) as PageAssets['paths'];
  const { 'brand.css': styles, 'logo.png': png, 'logo.svg': logo = png } = paths;
  const onEveryPage = {
    assets: paths,
    brand: { ...(styles !== undefined && { styles }), ...(logo !== undefined && { logo }) },
    ...(supportUrl === undefined ? {} : { supportHref: supportUrl }),
    ...(policyUrl === undefined ? {} : { policyHref: policyUrl }),
  };
  const frameFor = (csrfToken: string, query: string | false, explorerHref?: string): Frame => ({
    ...onEveryPage,
    ...(explorerHref && { explorerHref }),
    csrfToken,
    languages: query === false ? [] : languagesOf(query),
  });
  return {
    issuer,
    path,
    async readForm(ctx, csrf) {
      const body = await readFormBody(ctx);
      // Nobody types a NUL character, and no database takes one.
      if (body === undefined || ![...body].flat().every(isStorable)) {
        return { refused: 'form_unreadable' };
      }
      // Of two fields of one name the first counts.
      const form: Form = Object.fromEntries([...body].reverse());
      return csrf !== '' && isOurs(form, csrf) ? { form } : { refused: 'form_refused', sent: form };
    },
    wasFor(form, person) {
      const mark = form['csrf']?.split('.')[1];
      return mark === undefined ? undefined : signs.some((by) => mark === markOf(person, by));
    },
    show(ctx, { problems = [], formTargets = [], csrf = '', person, again, ...page }) {
      const locale = pageLanguage(ctx, LANGUAGE_COOKIE, uiLocalesOf(ctx));
      const query = ONCE.test(ctx.path) ? false : (again ?? ctx.querystring);
      const frame = frameFor(
        csrf === '' ? '' : [tokenFor(csrf), ...(person ? [markOf(person)] : [])].join('.'),
        query,
        explorerUrl && handLanguageTo(`${explorerUrl}/`, ctx, LANGUAGE_COOKIE),
      );
      const throttled = problems.find((problem) => problem.code === 'throttled');
      ctx.status = page.status ?? statusOf(problems);
      if (throttled !== undefined) ctx.set('Retry-After', `${throttled.waitS}`);
      ctx.set('Cache-Control', 'no-store');
      ctx.set('Content-Language', locale);
      ctx.set('Content-Security-Policy', contentSecurityPolicy(formTargets));
      ctx.set('Content-Type', 'text/html; charset=utf-8');
      ctx.body = page.render(frame, languages[locale]);
    },
    renderAll: (render) =>
      inEachLanguage((locale) => render(frameFor('', false), languages[locale])),
  };
}

/** Addresses that work once: the return from a sign-in, and from an organisation's provider. */
const ONCE = /^\/(?:(?:oauth\/authorize|device)\/[\w-]{10,}$|upstream\/)/;

/** The same page; the other parameters of its address stay. */
function languagesOf(query: string): Frame['languages'] {
  return LOCALES.map((locale) => {
    const parameters = new URLSearchParams(query);
    parameters.set('lang', locale);
    return { locale, href: `?${parameters}` };
  });
}

/** One status for a wrong password, an unknown e-mail and a disabled account. */
function statusOf(problems: readonly RenderableProblem[]): number {
  if (problems.length === 0) return 200;
  return problems.some(({ code }) => code === 'throttled') ? 429 : 422;
}

/**
 * After a form: loading the next page again sends nothing again (RFC 9110 §15.4.4). Not stored: the
 * Back button would follow the redirect that a browser has kept, and not ask where it leads now.
 */
export function seeOther(ctx: Context, href: string): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect(href);
  ctx.status = 303;
}

/**
 * Chromium applies `form-action` to the redirects that follow a form too, so a page whose form
 * ends in a redirect to an application must name where it goes: pass that client's redirect URIs
 * (sign-in, second factor, consent), its post-logout redirect URIs (sign-out) or the upstream
 * provider's authorization endpoint.
 *
 * @see https://www.w3.org/TR/CSP3/#directive-form-action
 */
export function contentSecurityPolicy(formTargets: readonly string[] = []): string {
  return pagePolicy([...new Set(formTargets.flatMap(sourceOf))]);
}

/**
 * Where a form that signs in or out may end. An application's callback may send people on to
 * another of its own places, and browsers ask the form's page about that too.
 */
export function formTargetsOf(
  client:
    | {
        readonly redirectUris?: readonly string[] | undefined;
        readonly postLogoutRedirectUris?: readonly string[] | undefined;
      }
    | undefined,
): readonly string[] {
  return [...(client?.redirectUris ?? []), ...(client?.postLogoutRedirectUris ?? [])];
}

/** Schemes that would let a form reach anywhere, or run something. */
const REFUSED_SCHEMES = ['javascript:', 'data:', 'blob:', 'file:', 'filesystem:', 'about:'];

/** A web origin, or the scheme of a native application's own (`com.example.app:`). */
function sourceOf(uri: string): readonly string[] {
  if (!URL.canParse(uri)) return [];
  const { protocol, host, hostname } = new URL(uri);
  if (REFUSED_SCHEMES.includes(protocol)) return [];
  if (protocol !== 'http:' && protocol !== 'https:') return [protocol];
  // A native application listens on whatever port is free (RFC 8252 §7.3).
  if (hostname === '127.0.0.1') return [`${protocol}//127.0.0.1:*`];
  // A host source knows no IPv6 address; the scheme is the narrowest that CSP can say.
  if (hostname.startsWith('[')) return [protocol];
  // A URL's host may hold characters, such as a comma, that would end a source or the policy.
  return /^[a-z0-9.-]+(?::\d+)?$/.test(host) ? [`${protocol}//${host}`] : [];
}
