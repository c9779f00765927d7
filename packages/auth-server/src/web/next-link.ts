import type { Application, NextLink } from './layout.ts';
import type { Pages } from './page.ts';
import { ACCOUNT_PATH } from './paths.ts';

/** For an application without a start page, the link leads to one of our pages. */
export function nextLinkFrom(application: Application | undefined, pages: Pages): NextLink {
  if (application?.href === undefined) {
    return { to: 'account', href: pages.path(ACCOUNT_PATH) };
  }
  return { to: 'start_again', name: application.name, href: application.href };
}
