import { type Clock, systemClock } from '@cls/shared/clock';
import { type Account, hasPassword, maySeeDeals } from '../../accounts/account.ts';
import type { Actor } from '../../audit/actor.ts';
import type { AccountMail } from '../../mail/account-mail.ts';
import type { MailQueue } from '../../mail/mail-queue.ts';
import { type I18n, readLanguages } from '../../web/i18n.ts';
import {
  ACCOUNT_PATH,
  ACCOUNT_PLACE_PATHS,
  INVITATION_PATH,
  NEW_PASSWORD_PATH,
  RESET_PATH,
  START_PATH,
} from '../../web/paths.ts';
import { type Mail, type MailerSettings, mailFrame } from './mail.ts';
import {
  invitationElsewhereMail,
  invitationMail,
  newDeviceMail,
  organisationInvitationMail,
  passwordResetMail,
  securityChangeMail,
} from './messages.ts';

/** Where messages lead, below the issuer: what was sent is opened with `?token=…`. */
const PATHS = {
  passwordReset: NEW_PASSWORD_PATH,
  invitation: INVITATION_PATH,
  start: START_PATH,
  account: ACCOUNT_PATH,
  log: ACCOUNT_PLACE_PATHS.log,
  reset: RESET_PATH,
  factors: ACCOUNT_PLACE_PATHS.factors,
  applications: ACCOUNT_PLACE_PATHS.applications,
} as const;

/** Writes messages to people in their language, and queues them. */
export function accountMailer(
  settings: MailerSettings,
  queue: MailQueue,
  clock: Clock = systemClock,
): AccountMail {
  const { issuer, brand } = settings;
  const languages = readLanguages(brand?.name);
  const frame = mailFrame(settings);
  /** The page has the language of the message. */
  const at = (place: keyof typeof PATHS, { locale }: Actor, token?: string) => {
    const query = new URLSearchParams({
      ...(token === undefined ? {} : { token }),
      ...(locale === undefined ? {} : { lang: locale }),
    });
    return `${issuer}${PATHS[place]}${query.size === 0 ? '' : `?${query}`}`;
  };
  const hrefsFor = (actor: Actor) => ({
    log: at('log', actor),
    reset: at('reset', actor),
    factors: at('factors', actor),
    applications: at('applications', actor),
  });
  const send = (account: Account, { locale = 'en' }: Actor, write: (i18n: I18n) => Mail) => {
    queue.add({ to: account.email, ...write(languages[locale]) });
  };
  const requestMetadata = ({ address, device }: Actor) => ({
    at: clock.now(),
    ...(address === undefined ? {} : { address }),
    ...(device === undefined ? {} : { device }),
  });
  return {
    changed(account, change, name, actor) {
      const own = { hasPassword: hasPassword(account), hrefs: hrefsFor(actor) };
      const model = { ...frame, ...requestMetadata(actor), change, name, ...own };
      send(account, actor, (i18n) => securityChangeMail(model, i18n));
    },
    newDevice(account, signedInBy, actor) {
      const model = { ...frame, ...requestMetadata(actor), signedInBy, hrefs: hrefsFor(actor) };
      send(account, actor, (i18n) => newDeviceMail(model, i18n));
    },
    passwordReset(account, token, validForS, actor) {
      const href = at('passwordReset', actor, token);
      send(account, actor, (i18n) => passwordResetMail({ ...frame, href, validForS }, i18n));
    },
    invitation(account, organisation, token, expiresAt, actor) {
      const href = at('invitation', actor, token);
      const model = { ...frame, organisation, href, expiresAt };
      send(account, actor, (i18n) => invitationMail(model, i18n));
    },
    invitationElsewhere(account, organisation, actor) {
      const model = { ...frame, organisation, href: at('account', actor) };
      send(account, actor, (i18n) => invitationElsewhereMail(model, i18n));
    },
    organisationInvitation(account, organisation, actor) {
      const href = at(maySeeDeals(account) ? 'start' : 'account', actor);
      const model = { ...frame, organisation, href };
      send(account, actor, (i18n) => organisationInvitationMail(model, i18n));
    },
  };
}
