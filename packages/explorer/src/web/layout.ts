import { type Html, type HtmlValue, html } from '@cls/shared/http/html';
import {
  card,
  document,
  form,
  type Languages,
  languageLinks,
  MARK,
  skipLink,
} from '@cls/shared/pages/document';
import type { AssetName } from './assets.ts';
import { DENSITIES, type Density } from './density.ts';
import type { Text } from './text.ts';

/** What every page needs, whatever it shows. */
export interface Frame {
  readonly text: Text;
  /** URL paths. */
  readonly assets: Readonly<Record<AssetName, string>>;
  /** This page in each language. */
  readonly languages: Languages;
  readonly density: Density;
  /** Where this page is shown at another density; undefined where no address shows it again. */
  readonly atDensity?: (density: Density) => string;
  readonly supportHref?: string;
  readonly requestId: string;
}

/** Who is signed in, and the way out. */
export interface SignedInFrame {
  readonly email: string;
  readonly name?: string;
  /** What the person is in the deals, in words. */
  readonly role: string;
  /** The person's account at the issuer. */
  readonly accountHref: string;
  /** Bound to the session. */
  readonly csrfToken: string;
  /** Finds deals, from every page. */
  readonly search: Html;
  /** Pages that the header leads to. */
  readonly navigation: readonly {
    readonly label: string;
    readonly href: string;
    readonly current: boolean;
  }[];
}

export interface Page {
  readonly title: string;
  /** The title of the window, where it says more than the heading. */
  readonly bookmark?: string;
  readonly body: HtmlValue;
  /** Rules of this page alone; its policy has to allow them. */
  readonly style?: string | undefined;
  /** Above the content: the time bar. */
  readonly bar?: Html;
  /** What the footer says of the data. */
  readonly source?: HtmlValue;
}

/** A page with one thing to say: not signed in, or something is in the way. */
export function cardPage(frame: Frame, page: Page): string {
  const brand = html`${MARK}${frame.text.t('product')}`;
  const content = html`<h1>${page.title}</h1>
${page.body}`;
  return documentAround(frame, page, card(brand, content, footer(frame, page)));
}

/** A page of a person who is signed in. */
export function fullPage(frame: Frame, signedIn: SignedInFrame, page: Page): string {
  const { text } = frame;
  const { navigation, search, email, name, role, accountHref } = signedIn;
  const links = navigation.map(
    ({ label, href, current }) =>
      html`<li><a href="${href}"${current && html` aria-current="page"`}>${label}</a></li>`,
  );
  const [home] = navigation;
  const signOut = html`<button class="button">${text.t('page.signOut')}</button>`;
  return documentAround(
    frame,
    page,
    html`${skipLink(text.t('page.skip'))}
<header class="head" data-slow="${text.t('page.slow')}">
<a class="brand" href="${home?.href ?? '/'}">${MARK}${text.t('product')}</a>
<nav aria-label="${text.t('page.navigation')}"><ul>${links}</ul></nav>
${search}
<div class="who"><span>${name !== undefined && html`${name} · `}${email}${role !== '' && html` · ${role}`}</span>
<a href="${accountHref}">${text.t('page.account')}</a>
${form(signedIn, { action: '/sign-out', body: signOut })}</div>
</header>
${page.bar}
<main id="content"><h1>${page.title}</h1>
${page.body}</main>
${footer(frame, page, densityLinks(frame))}`,
    [frame.assets['explorer.js']],
  );
}

/** How high rows are: a word for what is shown, a link for the other. */
function densityLinks({ text, density, atDensity }: Frame): Html | undefined {
  if (atDensity === undefined) return undefined;
  const choices = DENSITIES.map((one) => {
    const name = text.t(`density.${one}`);
    return one === density
      ? html`<span>${name}</span>`
      : html`<a href="${atDensity(one)}">${name}</a>`;
  });
  return html`<p class="links">${text.t('density.rows')} ${choices}</p>`;
}

function footer(
  { text, languages, supportHref, requestId }: Frame,
  { source }: Page,
  densities?: Html,
): Html {
  return html`<footer class="foot">${source !== undefined && html`<p>${source}</p>`}
<p>${text.t('page.reference')} <code>${requestId}</code></p>
<p class="links">${languageLinks(languages, text.locale)}${supportHref !== undefined && html`<a href="${supportHref}">${text.t('page.help')}</a>`}</p>${densities}</footer>`;
}

function documentAround(
  { text, assets, density }: Frame,
  { title, bookmark, style }: Page,
  body: Html,
  scripts: readonly string[] = [],
): string {
  return document({
    locale: text.locale,
    title: `${bookmark ?? title} · ${text.t('product')}`,
    className: density === DENSITIES[0] ? undefined : density,
    icon: assets['icon.svg'],
    styles: [assets['explorer.css']],
    scripts,
    style,
    body,
  });
}
