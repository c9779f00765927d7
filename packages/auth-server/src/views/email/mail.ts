import { type Html, html } from '@cls/shared/http/html';
import type { MessageValues } from '@cls/shared/pages/i18n';
import type { Brand } from '../../brand/brand.ts';
import type { I18n, MessageKey } from '../../web/i18n.ts';

/** A message to one person. `text` and `html` say the same. */
export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** One paragraph, one fact, or one link that stands alone. */
export type MailPart =
  | { readonly text: string }
  | { readonly facts: readonly (readonly [label: string, value: string])[] }
  | { readonly label: string; readonly href: string };

/** What all messages need. */
export interface MailFrame {
  /** The issuer's host, so that people know whose pages the links lead to. */
  readonly host: string;
  readonly supportHref?: string;
  /** Why the reader gets the message; by default, because of their account. */
  readonly closing?: 'mail.closing' | 'mail.closing.customer';
}

export interface MailerSettings {
  readonly issuer: string;
  readonly supportUrl?: string | undefined;
  readonly brand?: Pick<Brand, 'name'>;
}

export function mailFrame({ issuer, supportUrl }: MailerSettings): MailFrame {
  return {
    host: new URL(issuer).host,
    ...(supportUrl === undefined ? {} : { supportHref: supportUrl }),
  };
}

/** A subject is one line, whatever an organisation or a factor is called. */
const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

export function mail(
  subject: { readonly key: MessageKey; readonly values?: MessageValues },
  parts: readonly MailPart[],
  frame: MailFrame,
  i18n: I18n,
): Mail {
  const line = i18n.t(subject.key, subject.values).replace(LINE_BREAKS, ' ').trim();
  const closing = i18n.t(frame.closing ?? 'mail.closing', { host: frame.host });
  const help: readonly MailPart[] =
    frame.supportHref === undefined
      ? []
      : [{ label: i18n.t('page.help'), href: frame.supportHref }];
  const all = [...parts, ...help];
  return {
    subject: line,
    text: `${[i18n.t('mail.greeting'), ...all.map(asText), `-- \n${closing}`].join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="${i18n.locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${line}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:560px;margin:0 auto">
<p style="font-weight:700">${i18n.t('product.name')}</p>
<p>${i18n.t('mail.greeting')}</p>
${all.map(asHtml)}<hr style="border:0;border-top:1px solid #8888;margin:24px 0">
<p style="font-size:13px">${closing}</p>
</div>
</body>
</html>
`.toString(),
  };
}

function asText(part: MailPart): string {
  if ('text' in part) return part.text;
  if ('facts' in part) return part.facts.map(([label, value]) => `${label}: ${value}`).join('\n');
  return `${part.label}:\n${part.href}`;
}

function asHtml(part: MailPart): Html {
  if ('text' in part) return html`<p>${part.text}</p>\n`;
  if ('facts' in part) {
    const lines = part.facts.map(([label, value]) => html`${label}: <strong>${value}</strong><br>`);
    return html`<p>${lines}</p>\n`;
  }
  return html`<p><a href="${part.href}">${part.label}</a></p>\n`;
}
