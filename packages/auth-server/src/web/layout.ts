import { type Html, html } from '@cls/shared/http/html';
import { card, document, type Languages, languageLinks, MARK } from '@cls/shared/pages/document';
import type { AssetName } from './assets.ts';
import { problemSummary, type RenderableProblem } from './form.ts';
import type { I18n } from './i18n.ts';
import { LOGOS_PATH } from './paths.ts';

/** What every page needs, whatever it shows. */
export interface Frame {
  /** URL paths, with the issuer's own path before them. */
  readonly assets: Readonly<Record<AssetName, string>>;
  /** Sent back by every form as `csrf`; bound to the reader's session. */
  readonly csrfToken: string;
  /** Links to this page in each language; empty when its address works only once. */
  readonly languages: Languages;
  /** Where people get help: an https or mailto URL. */
  readonly supportHref?: string;
  /** The privacy policy: an https URL. */
  readonly policyHref?: string;
  /** Where people see balances. */
  readonly explorerHref?: string;
  /** URL paths of the operator's own style sheet and logo. */
  readonly brand?: { readonly styles?: string; readonly logo?: string };
}

export interface PageModel {
  readonly frame: Frame;
}

/** An application as people know it. */
export interface Application {
  readonly name: string;
  /** Host of the registered redirect URI that the answer goes to. */
  readonly host: string;
  /** Where people find it; a native application has no such place. */
  readonly href?: string;
  /** What its operator registered about it. */
  readonly policyHref?: string;
  readonly termsHref?: string;
  /** URL path of its logo. */
  readonly logoHref?: string;
}

/** The link that leads on from a page. Every page at the end of a flow has one. */
export type NextLink =
  | { readonly to: 'application' | 'start_again'; readonly name: string; readonly href: string }
  | {
      readonly to: 'account' | 'sign_in' | 'sign_out' | 'new_link' | 'device';
      readonly href: string;
    };

interface Page {
  readonly title: string;
  readonly problems?: readonly RenderableProblem[];
  readonly body: Html;
  /** Scripts beside `pages.js`; a page works without any. */
  readonly passkeys?: boolean;
}

/** A page with one thing to do: a card below the product's name. */
export function cardPage({ frame }: PageModel, page: Page, i18n: I18n): string {
  const content = html`${problemSummary(page.problems ?? [], i18n)}<h1>${page.title}</h1>
${page.body}`;
  const brand = html`${brandMark(frame)}${i18n.t('product.name')}`;
  return documentAround(frame, page, card(brand, content, footer(frame, i18n)), i18n);
}

/** The frame around `body`; `cardPage` and `accountPage` are what pages use. */
export function documentAround(frame: Frame, page: Page, body: Html, i18n: I18n): string {
  const { assets, brand } = frame;
  const failed = (page.problems ?? []).length > 0;
  const title = failed ? i18n.t('page.titleFailed', { title: page.title }) : page.title;
  return document({
    locale: i18n.locale,
    title: i18n.t('page.title', { title }),
    icon: assets['icon.svg'],
    styles: [assets['pages.css'], ...(brand?.styles === undefined ? [] : [brand.styles])],
    scripts: [assets['pages.js'], ...(page.passkeys ? [assets['passkeys.js']] : [])],
    body,
  });
}

export function footer({ languages, supportHref, policyHref }: Frame, i18n: I18n): Html {
  return html`<footer class="foot">${languageLinks(languages, i18n.locale)}${supportHref !== undefined && html`<a href="${supportHref}">${i18n.t('page.help')}</a>`}${policyHref !== undefined && html`<a href="${policyHref}">${i18n.t('page.policy')}</a>`}</footer>`;
}

/** The operator's logo, or the product's sign. */
export function brandMark({ brand }: Frame): Html {
  return brand?.logo === undefined ? MARK : html`<img class="mark" src="${brand.logo}" alt="">`;
}

/** @param redirectUri where the answer goes; without one, the first that is registered. */
export function shownClient(
  client: {
    readonly clientId: string;
    readonly clientName?: string | undefined;
    readonly redirectUris?: readonly string[] | undefined;
    readonly clientUri?: string | undefined;
    readonly policyUri?: string | undefined;
    readonly tosUri?: string | undefined;
  },
  redirectUri = client.redirectUris?.[0],
): Application {
  const { clientUri: href, policyUri: policyHref, tosUri: termsHref } = client;
  return {
    ...shownApplication(client.clientName ?? client.clientId, redirectUri),
    ...(href && { href }),
    ...(policyHref && { policyHref }),
    ...(termsHref && { termsHref }),
  };
}

export function shownApplication(name: string, redirectUri = ''): Application {
  if (!URL.canParse(redirectUri)) return { name, host: '' };
  const { protocol, host, origin } = new URL(redirectUri);
  if (!/^https?:$/.test(protocol)) return { name, host: protocol };
  return { name, host, href: origin };
}

/** No logo is served of an application that is disabled. */
export function logoOf(
  { logo, disabled }: { readonly logo?: unknown; readonly disabled?: boolean },
  path: (below: string) => string,
): Pick<Application, 'logoHref'> {
  if (typeof logo !== 'string' || disabled === true) return {};
  return { logoHref: path(`${LOGOS_PATH}${logo}`) };
}

/** The logo, where there is one, beside what names the application. */
export function besideLogo({ logoHref }: Pick<Application, 'logoHref'>, content: Html): Html {
  if (logoHref === undefined) return content;
  return html`<div class="with-logo"><img src="${logoHref}" width="40" height="40" alt="">${content}</div>`;
}

/** Its privacy policy and terms of use, where there are any: before people sign in and allow access. */
export function applicationLinks(application: Application, i18n: I18n): Html {
  const { name, policyHref, termsHref } = application;
  const links = [
    ...(policyHref === undefined ? [] : [['application.policy', policyHref] as const]),
    ...(termsHref === undefined ? [] : [['application.terms', termsHref] as const]),
  ].map(([key, href]) => html`<a href="${href}">${i18n.t(key)}</a>`);
  if (links.length === 0) return html``;
  return html`<p class="hint">${name}: ${links.map((link, n) => html`${n > 0 && ' · '}${link}`)}</p>\n`;
}

/** `Lindholm Portal (portal.example)`, the host kept in one piece. */
export function applicationName({ name, host }: Application): Html {
  return html`<strong>${name}</strong>${host !== '' && html` <span class="host">(${host})</span>`}`;
}

/** An address that breaks after its `@`, if it must. */
export function breakableEmail(email: string): Html {
  const at = email.lastIndexOf('@') + 1;
  return html`${email.slice(0, at)}<wbr>${email.slice(at)}`;
}

export function emailName(email: string): Html {
  return html`<strong>${breakableEmail(email)}</strong>`;
}

/** How people get help; empty when the operator configured none. */
export function contactLine({ supportHref }: Frame, i18n: I18n): Html {
  if (supportHref === undefined) return html``;
  return html`<p class="hint">${i18n.rich('page.contact', { contact: contactLink(supportHref) })}</p>`;
}

/** Shows what people recognise: the e-mail address, or the host of the site. */
export function contactLink(href: string): Html {
  const { protocol, pathname, host } = new URL(href);
  const name = protocol === 'mailto:' ? pathname : host;
  return html`<a href="${href}">${name}</a>`;
}

export function nextLinkHtml(way: NextLink, i18n: I18n): Html {
  const label = i18n.t(`nextLink.${way.to}`, 'name' in way ? { name: way.name } : {});
  return html`<p><a class="button primary" href="${way.href}">${label}</a></p>`;
}
