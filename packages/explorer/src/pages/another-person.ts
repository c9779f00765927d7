import { html } from '@cls/shared/http/html';
import { cardPage, type Frame } from '../web/layout.ts';

/** Says who is signed in now, before anything of theirs is shown. @param href the same page as theirs. */
export function anotherPersonPage(email: string, href: string): (frame: Frame) => string {
  return (frame) => {
    const { text } = frame;
    return cardPage(frame, {
      title: text.t('person.title', { email }),
      body: html`<p>${text.t('person.text')}</p>
<p><a class="button primary" href="${href}">${text.t('person.show', { email })}</a></p>`,
    });
  };
}
