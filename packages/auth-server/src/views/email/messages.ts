import type { Device } from '../../audit/actor.ts';
import type { SecretCompromised } from '../../notices/customer-notice.ts';
import type { I18n, KeyAfter } from '../../web/i18n.ts';
import { deviceName } from '../account/account-page.ts';
import { type Mail, type MailFrame, type MailPart, mail } from './mail.ts';

/** Where and when something was done, as far as known. */
export interface Circumstances {
  readonly at: Date;
  readonly device?: Device;
  readonly address?: string;
}

type ChangeOf<Key extends string> = Key extends `${infer Change}.subject` ? Change : never;
/** Each change to an account that its owner gets a message about. */
export type SecurityChange = ChangeOf<KeyAfter<'mail.change.'>>;

/** The pages that a message leads to. */
export type MailPlace = KeyAfter<'mail.link.'>;
type MailHrefs = Readonly<Record<MailPlace, string>>;

/** The method by which somebody signed in. */
export type SignedInBy = KeyAfter<'mail.newDevice.advice.'>;

type Advice = KeyAfter<'mail.advice.'>;

/** What the reader can do about a change; `own`: by what opens the account. */
const ADVICE: Readonly<Record<SecurityChange, Advice | 'own'>> = {
  password_changed: 'password',
  factor_added: 'own',
  factor_removed: 'own',
  factors_reset: 'administrator',
  recovery_codes_replaced: 'own',
  recovery_code_used: 'own',
  application_allowed: 'access',
  device_connected: 'access',
  organisation_linked: 'organisation',
  account_disabled: 'disabled',
  account_enabled: 'administrator',
  permissions_changed: 'administrator',
  sessions_ended: 'administrator',
};

/** Where they do it. */
const PLACES: Readonly<Record<Advice | SignedInBy, readonly MailPlace[]>> = {
  password: ['reset', 'log'],
  passkey: ['factors', 'log'],
  organisation: ['log'],
  access: ['applications', 'log'],
  administrator: ['log'],
  disabled: [],
};

export interface SecurityChangeModel extends MailFrame, Circumstances {
  readonly change: SecurityChange;
  /**
   * Name of the factor, application or organisation that it was about, or the permissions from now
   * on with blanks between; empty without one.
   */
  readonly name: string;
  /** Without one the reader signs in through an organisation. */
  readonly hasPassword: boolean;
  readonly hrefs: MailHrefs;
}

export function securityChangeMail(model: SecurityChangeModel, i18n: I18n): Mail {
  const { change, name, hasPassword, hrefs } = model;
  const own = hasPassword ? 'password' : 'organisation';
  const advice = ADVICE[change] === 'own' ? own : ADVICE[change];
  const parts: readonly MailPart[] = [
    { text: i18n.t(`mail.change.${change}.text`, { name }) },
    ...(change === 'permissions_changed' ? [permissionsNow(name, i18n)] : []),
    requestMetadata(model, i18n),
    { text: i18n.t(`mail.advice.${advice}`) },
    ...links(PLACES[advice], hrefs, i18n),
  ];
  return mail({ key: `mail.change.${change}.subject` }, parts, model, i18n);
}

export interface NewDeviceModel extends MailFrame, Circumstances {
  readonly signedInBy: SignedInBy;
  readonly hrefs: MailHrefs;
}

export function newDeviceMail(model: NewDeviceModel, i18n: I18n): Mail {
  const { signedInBy, hrefs } = model;
  const parts: readonly MailPart[] = [
    { text: i18n.t('mail.newDevice.text') },
    requestMetadata(model, i18n),
    { text: i18n.t(`mail.newDevice.advice.${signedInBy}`) },
    ...links(PLACES[signedInBy], hrefs, i18n),
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

export type OrganisationInvitationMailModel = Omit<InvitationMailModel, 'expiresAt'>;

/** To somebody who signs in at their organisation, and gets no password here. */
export function organisationInvitationMail(
  { organisation, href, ...frame }: OrganisationInvitationMailModel,
  i18n: I18n,
): Mail {
  const values = { organisation };
  const parts: readonly MailPart[] = [
    { text: i18n.t('mail.organisationInvitation.text', values) },
    { label: i18n.t('mail.organisationInvitation.link'), href },
    { text: i18n.t('mail.invitation.notYou') },
  ];
  return mail({ key: 'mail.organisationInvitation.subject', values }, parts, frame, i18n);
}

/** To somebody whom another organisation has: what was tried, and what they can do. */
export function invitationElsewhereMail(
  { organisation, href, ...frame }: OrganisationInvitationMailModel,
  i18n: I18n,
): Mail {
  const values = { organisation };
  const parts: readonly MailPart[] = [
    { text: i18n.t('mail.invitationElsewhere.text', values) },
    { label: i18n.t('mail.invitationElsewhere.link'), href },
    { text: i18n.t('mail.invitation.notYou') },
  ];
  return mail({ key: 'mail.invitationElsewhere.subject', values }, parts, frame, i18n);
}

export interface SecretCompromisedModel extends MailFrame {
  readonly noticeId: string;
  readonly at: Date;
  readonly notice: SecretCompromised;
}

/** To the security contact of a customer. */
export function secretCompromisedMail(model: SecretCompromisedModel, i18n: I18n): Mail {
  const { noticeId, at, notice } = model;
  const { serviceAccount, name, secretIds, newSecretId, reportedBy, foundAt } = notice;
  const { tokensRevokedBefore: before } = notice;
  const facts: readonly (readonly [string, string])[] = [
    [i18n.t('mail.notice.serviceAccount'), `${name} (${serviceAccount})`],
    [i18n.t('mail.notice.secretIds'), secretIds.join(', ')],
    ...(newSecretId === undefined
      ? []
      : [[i18n.t('mail.notice.newSecretId'), newSecretId] as const]),
    [i18n.t('log.when'), i18n.dateTime(at)],
    [i18n.t('mail.notice.reportedBy'), i18n.t(`mail.notice.reportedBy.${reportedBy}`)],
    [i18n.t('mail.notice.reference'), noticeId],
  ];
  const parts: readonly MailPart[] = [
    { text: i18n.t('mail.notice.secret_compromised.text', { name }) },
    { facts },
    ...(foundAt === undefined ? [] : [{ label: i18n.t('mail.notice.foundAt'), href: foundAt }]),
    tokensRefused(before, i18n),
    { text: i18n.t(`mail.notice.secret_compromised.${newSecretId ? 'new' : 'none'}`) },
    { text: i18n.t('mail.notice.secret_compromised.check') },
  ];
  const subject = { key: 'mail.notice.secret_compromised.subject', values: { name } } as const;
  return mail(subject, parts, { ...model, closing: 'mail.closing.customer' }, i18n);
}

function tokensRefused(before: string, i18n: I18n): MailPart {
  const time = i18n.dateTime(before);
  return { text: i18n.t('mail.notice.secret_compromised.tokens', { time }) };
}

function permissionsNow(names: string, i18n: I18n): MailPart {
  const words = names.split(' ').map((name) => {
    const key = `mail.permission.${name}`;
    return i18n.has(key) ? i18n.t(key) : name;
  });
  return { facts: [[i18n.t('mail.permissions'), words.join('; ')]] };
}

function links(places: readonly MailPlace[], hrefs: MailHrefs, i18n: I18n): readonly MailPart[] {
  return places.map((place) => ({ label: i18n.t(`mail.link.${place}`), href: hrefs[place] }));
}

function requestMetadata({ at, device, address }: Circumstances, i18n: I18n): MailPart {
  return {
    facts: [
      [i18n.t('log.when'), i18n.dateTime(at)],
      ...(device === undefined ? [] : [[i18n.t('mail.device'), deviceName(device, i18n)] as const]),
      ...(address === undefined ? [] : [[i18n.t('mail.address'), address] as const]),
    ],
  };
}
