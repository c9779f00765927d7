import { html } from '@cls/shared/http/html';
import { cardPage, type Frame } from '../web/layout.ts';

type Failure = 'unknown' | 'denied' | 'failed' | 'foreign';

/** The person was signed in, and is not any more. The way back leads to the same address. */
export function sessionEndedPage(returnTo: string): (frame: Frame) => string {
  return (frame) => {
    const { text } = frame;
    return cardPage(frame, {
      title: text.t('ended.title'),
      body: html`<p>${text.t('ended.text')}</p>${again(frame, returnTo)}`,
    });
  };
}

export function signedOutPage(frame: Frame): string {
  const { text } = frame;
  return cardPage(frame, {
    title: text.t('signedOut.title'),
    body: html`<p>${text.t('signedOut.text')}</p>${again(frame, '/')}`,
  });
}

export function signInFailedPage(returnTo: string, why: Failure): (frame: Frame) => string {
  return (frame) => {
    const { text } = frame;
    return cardPage(frame, {
      title: text.t('signInFailed.title'),
      body: html`<p>${text.t(`signInFailed.${why}`)}</p>${again(frame, returnTo)}`,
    });
  };
}

function again({ text }: Frame, returnTo: string) {
  const href = `/sign-in?${new URLSearchParams({ return: returnTo })}`;
  return html`<p><a class="button primary" href="${href}">${text.t('signIn')}</a></p>`;
}
