import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LOCALES, type Locale } from '@cls/shared/pages/browser';
import { readAssets } from '../../src/web/assets.ts';
import { type I18n, readLanguages } from '../../src/web/i18n.ts';
import type { Frame } from '../../src/web/layout.ts';
import { contentSecurityPolicy } from '../../src/web/page.ts';
import { GALLERY } from './gallery.ts';

const LANGUAGES = readLanguages();

export interface GalleryServer {
  readonly origin: string;
  /** Where a page of the gallery is. */
  href(name: string, locale?: Locale): string;
  /** Form bodies that were sent, the newest last. */
  readonly received: URLSearchParams[];
  /** Answers the next form with a redirect there, under a policy that allows `formTargets`. */
  redirectForms(location: string, formTargets: readonly string[]): void;
  stop(): Promise<void>;
}

/** Serves the gallery as the service would: real assets, real headers, forms that end in a page. */
export async function startGallery(): Promise<GalleryServer> {
  const assets = readAssets();
  const received: URLSearchParams[] = [];
  let formTargets: readonly string[] = [];
  let location: string | undefined;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://gallery');
    const asset = assets.find(pathname);
    const [, locale = '', name = ''] = pathname.split('/');
    const page = GALLERY.find((each) => each.name === name);
    response.setHeader('Content-Security-Policy', contentSecurityPolicy(formTargets));
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    if (request.method === 'POST') {
      received.push(await bodyOf(request));
      // The browser stays on the page.
      if (pathname === '/no-content') response.writeHead(204).end();
      else if (location === undefined) response.end('<!doctype html><title>received</title>');
      else response.writeHead(303, { Location: location }).end();
    } else if (asset !== undefined) {
      response.setHeader('Content-Type', asset.contentType);
      response.end(asset.body);
    } else if (page !== undefined && isLocale(locale)) {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(page.render(galleryFrame(assets.paths, name), galleryI18n(locale)));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    href: (name, locale = 'en') => `${origin}/${locale}/${name}`,
    received,
    redirectForms(to, targets) {
      location = to;
      formTargets = targets;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function galleryI18n(locale: Locale): I18n {
  return LANGUAGES[locale];
}

export function galleryFrame(assets: Frame['assets'], name: string): Frame {
  return {
    assets,
    csrfToken: 'csrf-token',
    languages: LOCALES.map((locale) => ({ locale, href: `/${locale}/${name}` })),
    supportHref: 'mailto:support@cls.example',
    policyHref: 'https://cls.example/privacy',
  };
}

function isLocale(text: string): text is Locale {
  return (LOCALES as readonly string[]).includes(text);
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
}
