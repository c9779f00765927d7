import { type Device, deviceName } from '../account/account-page.ts';
import type { I18n, KeyAfter } from '../i18n.ts';
import { type Mail, type MailFrame, type MailPart, mail } from './mail.ts';

/** Where and when something was done, as far as known. */
export interface Circumstances {
  readonly at: Date;
  readonly device?: Device;
  readonly address?: string;
}

type ChangeOf<Key extends string> = Key extends `${infer Change}.subject` ? Change : never;
/** Each change to an account that its owner is told of. */
export type SecurityChange = ChangeOf<KeyAfter<'mail.change.'>>;

export interface SecurityChangeModel extends MailFrame, Circumstances {
  readonly change: SecurityChange;
  /** Name of the factor, application or organisation that it was about; empty without one. */
  readonly name: string;
  /** The security log. */
  readonly reviewHref: string;
}

export function securityChangeMail(model: SecurityChangeModel, i18n: I18n): Mail {
  const { change, name, reviewHref } = model;
  const parts: readonly MailPart[] = [
    { text: i18n.t(`mail.change.${change}.text`, { name }) },
    circumstances(model, i18n),
    { text: i18n.t('mail.change.notYou') },
    { label: i18n.t('mail.review'), href: reviewHref },
  ];
  return mail({ key: `mail.change.${change}.subject` }, parts, model, i18n);
}

export interface NewDeviceModel extends MailFrame, Circumstances {
  readonly reviewHref: string;
}

export function newDeviceMail(model: NewDeviceModel, i18n: I18n): Mail {
  const parts: readonly MailPart[] = [
    { text: i18n.t('mail.newDevice.text') },
    circumstances(model, i18n),
    { text: i18n.t('mail.newDevice.notYou') },
    { label: i18n.t('mail.review'), href: model.reviewHref },
  ];
  return mail({ key: 'mail.newDevice.subject' }, parts, model, i18n);
}

export interface PasswordResetModel extends MailFrame {
  /** Carries the one-time secret; used once, within `validForS`. */
  readonly href: string;
  readonly validForS: number;
}

export function passwordResetMail(model: PasswordResetModel, i18n: I18n): Mail {
  const parts: readonly MailPart[] = [
    { text: i18n.t('mail.passwordReset.text') },
    { label: i18n.t('mail.passwordReset.link'), href: model.href },
    { text: i18n.t('mail.passwordReset.valid', { time: i18n.duration(model.validForS) }) },
    { text: i18n.t('mail.passwordReset.notYou') },
  ];
  return mail({ key: 'mail.passwordReset.subject' }, parts, model, i18n);
}

export interface InvitationMailModel extends MailFrame {
  readonly organisation: string;
  readonly href: string;
  readonly expiresAt: Date;
}

export function invitationMail(model: InvitationMailModel, i18n: I18n): Mail {
  const { organisation, href, expiresAt } = model;
  const parts: readonly MailPart[] = [
    { text: i18n.t('mail.invitation.text', { organisation }) },
    { label: i18n.t('mail.invitation.link'), href },
    { text: i18n.t('mail.invitation.valid', { date: i18n.dateTime(expiresAt) }) },
    { text: i18n.t('mail.invitation.notYou') },
  ];
  return mail({ key: 'mail.invitation.subject', values: { organisation } }, parts, model, i18n);
}

function circumstances({ at, device, address }: Circumstances, i18n: I18n): MailPart {
  return {
    facts: [
      [i18n.t('log.when'), i18n.dateTime(at)],
      ...(device === undefined ? [] : [[i18n.t('mail.device'), deviceName(device, i18n)] as const]),
      ...(address === undefined ? [] : [[i18n.t('mail.address'), address] as const]),
    ],
  };
}
