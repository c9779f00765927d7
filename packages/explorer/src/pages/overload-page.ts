import {
  type ChooseOverloadPage,
  type OverloadPage,
  REQUEST_ID_MARK,
} from '@cls/shared/http/early-answers';
import { type Locale, requestLanguage } from '@cls/shared/pages/browser';
import { inEachLanguage } from '@cls/shared/pages/i18n';
import { LANGUAGE_COOKIE } from '../web/browser.ts';
import type { Pages } from '../web/page.ts';
import { headersOfAll } from '../web/security.ts';
import { problemPage } from './problem-page.ts';

/** Becomes a link to the address that the browser shows. */
const SAME_ADDRESS = '/same-address';

/** For a browser that is refused because too many requests are under way. */
export function overloadPages(pages: Pages, baseUrl: string, issuer: string): ChooseOverloadPage {
  const rendered = (locale: Locale, again: boolean): OverloadPage => ({
    headers: { ...headersOfAll(baseUrl, issuer), 'Content-Language': locale },
    markup: problemPage(
      'busy',
      again ? { again: SAME_ADDRESS } : {},
    )(pages.frameIn(locale, REQUEST_ID_MARK)).replace(`href="${SAME_ADDRESS}"`, 'href=""'),
  });
  const inLanguages = (again: boolean) => inEachLanguage((locale) => rendered(locale, again));
  const secure = baseUrl.startsWith('https:');
  const [ofReads, ofForms] = [inLanguages(true), inLanguages(false)];
  return (request) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return (isRead ? ofReads : ofForms)[requestLanguage(request, secure, LANGUAGE_COOKIE)];
  };
}
