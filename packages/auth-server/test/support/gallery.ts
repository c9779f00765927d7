import { addPasskeyPage } from '../../src/views/account/add-passkey.ts';
import { addTotpPage } from '../../src/views/account/add-totp.ts';
import { applicationsPage } from '../../src/views/account/applications.ts';
import { changeNamePage } from '../../src/views/account/change-name.ts';
import { changePasswordPage } from '../../src/views/account/change-password.ts';
import {
  newSecretPage,
  replaceSecretPage,
  shownSecretPage,
} from '../../src/views/account/client-secret.ts';
import { type ConfirmedAction, confirmationPage } from '../../src/views/account/confirmation.ts';
import { customerApplicationsPage } from '../../src/views/account/customer-applications.ts';
import { factorsPage } from '../../src/views/account/factors.ts';
import { integrationsPage } from '../../src/views/account/integrations.ts';
import { type OverviewModel, overviewPage } from '../../src/views/account/overview.ts';
import { peoplePage } from '../../src/views/account/people.ts';
import { recoveryCodesPage } from '../../src/views/account/recovery-codes.ts';
import { renameFactorPage } from '../../src/views/account/rename-factor.ts';
import { type LogEntry, securityLogPage } from '../../src/views/account/security-log.ts';
import { type AccountSession, sessionsPage } from '../../src/views/account/sessions.ts';
import { tokenRequestsPage } from '../../src/views/account/token-requests.ts';
import { consentPage } from '../../src/views/authorization/consent.ts';
import {
  deviceCodePage,
  deviceConfirmationPage,
  deviceDonePage,
} from '../../src/views/authorization/device.ts';
import { passwordSetPage } from '../../src/views/password/password-set.ts';
import { resetRequestPage, resetSentPage } from '../../src/views/password/reset-request.ts';
import { invitationPage, setPasswordPage } from '../../src/views/password/set-password.ts';
import { type SecondFactorModel, secondFactorPage } from '../../src/views/sign-in/challenge.ts';
import { enrolFactorPage } from '../../src/views/sign-in/enrol-factor.ts';
import { organisationPage } from '../../src/views/sign-in/organisation.ts';
import { type SignInModel, signInPage } from '../../src/views/sign-in/sign-in.ts';
import { signedOutPage, signOutPage } from '../../src/views/sign-in/sign-out.ts';
import { stepUpPage } from '../../src/views/sign-in/step-up.ts';
import { readAssets } from '../../src/web/assets.ts';
import { continuePage, refreshRedirectPage } from '../../src/web/continue.ts';
import { type ErrorKind, errorPage } from '../../src/web/error.ts';
import { expiredPage } from '../../src/web/expired-page.ts';
import type { I18n } from '../../src/web/i18n.ts';
import type { Frame, NextLink } from '../../src/web/layout.ts';

/** Every page in every state that looks or reads different, with plausible contents. */
export interface GalleryPage {
  /** `sign-in`, or `sign-in--wrong-credentials` for a further state of the same page. */
  readonly name: string;
  render(frame: Frame, i18n: I18n): string;
}

const EMAIL = 'anna.lindholm@lindholm.example';
const ORGANISATION = 'Lindholm Bank';
const APPLICATION = {
  ...{ name: 'Lindholm Portal', host: 'portal.lindholm.example' },
  policyHref: 'https://lindholm.example/privacy',
  termsHref: 'https://lindholm.example/terms',
};
const LOGO = { logoHref: readAssets().paths['icon.svg'] };
const COMMAND_LINE_TOOL = { name: 'Ledger Tool', host: '' };
const LONG_APPLICATION = {
  name: 'Kreditverwaltungsgesellschaft Nord-West Portfolio-Überwachung',
  host: 'portfolio-ueberwachung.kreditverwaltung-nordwest.example',
};
const NOW = new Date('2026-11-21T09:30:00Z');
const MONTHS_AGO = new Date('2026-07-03T14:05:00Z');
const IN_WEEKS = new Date('2026-12-19T09:30:00Z');
const WAY_ON = {
  to: 'application',
  name: 'Lindholm Portal',
  href: 'https://portal.lindholm.example/',
} as const;
const REFERENCE = 'req_Zk3vQ1o8Tn5xR2yd';
const FIREFOX = { browser: 'Firefox', system: 'Windows' };

export const REQUEST_OPTIONS = {
  challenge: 'Y2hhbGxlbmdlLWNoYWxsZW5nZS1jaGFsbGVuZ2U',
  rpId: 'localhost',
  allowCredentials: [],
  userVerification: 'preferred',
  timeout: 60_000,
};
export const CREATION_OPTIONS = {
  challenge: 'Y2hhbGxlbmdlLWNoYWxsZW5nZS1jaGFsbGVuZ2U',
  rp: { id: 'localhost', name: 'CLS' },
  user: { id: 'YWNjb3VudA', name: EMAIL, displayName: 'Anna Lindholm' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  excludeCredentials: [],
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  timeout: 60_000,
};

const page = (name: string, render: GalleryPage['render']): GalleryPage => ({ name, render });

const signIn = (name: string, state: Partial<SignInModel>) =>
  page(name, (frame, i18n) =>
    signInPage(
      {
        frame,
        action: '/sign-in',
        application: APPLICATION,
        resetHref: '/password/reset',
        passkey: { action: '/sign-in/passkey', options: REQUEST_OPTIONS },
        remember: { ticked: false, lifeS: 2_592_000 },
        problems: [],
        ...state,
      },
      i18n,
    ),
  );

const secondFactor = (name: string, state: Partial<SecondFactorModel>) =>
  page(name, (frame, i18n) =>
    secondFactorPage(
      {
        frame,
        action: '/sign-in/second-factor',
        email: EMAIL,
        challenge: { method: 'totp' },
        others: [
          { method: 'passkey', href: '?method=passkey' },
          { method: 'recovery_code', href: '?method=recovery_code' },
        ],
        cancelHref: '/sign-in',
        problems: [],
        ...state,
      },
      i18n,
    ),
  );

const HREFS = {
  overview: '/account',
  password: '/account/password',
  factors: '/account/factors',
  sessions: '/account/sessions',
  applications: '/account/applications',
  integrations: '/account/integrations',
  log: '/account/log',
  signOut: '/sign-out',
};
const { password: _, integrations: __, ...HREFS_WITHOUT_PASSWORD } = HREFS;
const account = (frame: Frame) => ({ frame, email: EMAIL, hrefs: HREFS });

const overview = (name: string, state: Partial<OverviewModel>) =>
  page(name, (frame, i18n) =>
    overviewPage(
      {
        ...account(frame),
        organisation: ORGANISATION,
        passwordSetAt: MONTHS_AGO,
        factorCount: 2,
        recoveryCodes: { left: 8, total: 10 },
        recoveryCodesLow: 3,
        sessionCount: 2,
        applicationCount: 1,
        lastSignIn: { at: NOW, device: FIREFOX, address: '203.0.113.24' },
        nameHref: '/account/name',
        downloadHref: '/account/data.json',
        ...state,
      },
      i18n,
    ),
  );

const ERROR_KINDS: readonly ErrorKind[] = [
  'application_request',
  'application_unknown',
  'application_not_allowed',
  'redirect_mismatch',
  'sign_out_request',
  'permission_not_allowed',
  'access_denied',
  'sign_in_needed',
  'session_ended',
  'person_changed',
  'session_renewed',
  'stronger_sign_in_needed',
  'link_expired',
  'invitation_expired',
  'form_refused',
  'form_unreadable',
  'device_page_over',
  'account_unusable',
  'upstream_failed',
  'upstream_identity',
  'not_found',
  'wrong_method',
  'unavailable',
  'busy',
  'server_error',
];

const WAYS_ON: Partial<Record<ErrorKind, NextLink>> = {
  session_ended: { to: 'sign_in', href: HREFS.password },
  sign_out_request: { to: 'sign_out', href: HREFS.signOut },
  device_page_over: { to: 'device', href: '/device' },
  link_expired: { to: 'new_link', href: '/password/reset' },
};

const SESSIONS: readonly AccountSession[] = [
  {
    id: 's1',
    device: FIREFOX,
    address: '203.0.113.24',
    startedAt: NOW,
    lastSeenAt: NOW,
    current: true,
    remembered: { id: 'd1', until: IN_WEEKS },
  },
  { id: 's4', device: FIREFOX, startedAt: MONTHS_AGO, lastSeenAt: NOW, current: false },
  { id: 's5', device: FIREFOX, startedAt: MONTHS_AGO, lastSeenAt: NOW, current: false },
  {
    id: 's2',
    device: { browser: 'Safari', system: 'iPhone' },
    address: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
    startedAt: MONTHS_AGO,
    lastSeenAt: NOW,
    current: false,
  },
  { id: 's3', device: {}, startedAt: MONTHS_AGO, lastSeenAt: MONTHS_AGO, current: false },
];

const DEVICE = {
  id: 'd2',
  device: { browser: 'Safari', system: 'iPhone' },
  address: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
  lastUsedAt: MONTHS_AGO,
  until: IN_WEEKS,
};

const LOG: readonly LogEntry[] = [
  { type: 'signed_in', at: NOW, device: FIREFOX, address: '203.0.113.24' },
  { type: 'passkey_added', at: NOW, subject: 'Work laptop', device: FIREFOX },
  {
    type: 'sign_in_failed',
    at: MONTHS_AGO,
    device: {},
    address: '198.51.100.7',
    reason: 'wrong_password',
  },
  { type: 'access_allowed', at: MONTHS_AGO, subject: LONG_APPLICATION.name, device: FIREFOX },
  { type: 'factors_reset', at: MONTHS_AGO },
];

const PASSKEY = {
  kind: 'passkey',
  name: 'Work laptop',
  addedAt: MONTHS_AGO,
  lastUsedAt: NOW,
  renameHref: '/account/factors/1/rename',
} as const;
const TOTP = {
  kind: 'totp',
  name: 'Pixel 9',
  addedAt: MONTHS_AGO,
  renameHref: '/account/factors/2/rename',
} as const;
const RECOVERY_CODES = [
  'k3vq-1o8t-n5xr',
  'd2fy-7mzc-4hpw',
  's9bt-e6ja-0ugx',
  'w1nr-5kqv-8cdl',
  'h4zp-2yxm-j7ft',
  'a8gc-3wse-6bnu',
  'r5td-9lvh-1kqo',
  'm0xj-4fpz-7yca',
  'u6be-8nhw-2gsr',
  'c2kl-1dvt-5mqx',
];

const factors = {
  addTotpHref: '/account/factors/totp',
  addPasskeyHref: '/account/factors/passkey',
  newCodesHref: '/account/recovery-codes',
  problems: [],
};

const SECRET_HREFS = {
  replaceHref: '/account/integrations/replace?secret=1',
  revokeHref: '/account/integrations/revoke?secret=1',
  leakedHref: '/account/integrations/leaked?secret=1',
};
const SECRET = {
  ...SECRET_HREFS,
  id: 'sec_01K9ZZZZZZZZZZZZZZZZZZZZZZ',
  name: 'Treasury system, production',
  createdAt: MONTHS_AGO,
  lastUsedAt: NOW,
  lastUsedFrom: '203.0.113.24',
};
const { replaceHref: ___, ...SECRET_OF_OPERATOR } = SECRET;
const INTEGRATION = {
  id: 'svc_01K9ZZZZZZZZZZZZZZZZZZZZZZ',
  name: 'Treasury',
  permissions: ['cls-deal.view', 'cls-secrets.manage'],
  disabled: false,
  newSecrets: 'offered' as const,
  createHref: '/account/integrations/new-secret?client=1',
};
const NEW_SECRET = {
  action: '/account/integrations/new-secret?client=1',
  client: INTEGRATION.name,
  name: '',
  cancelHref: HREFS.integrations,
};

const confirmation = (name: string, subject: ConfirmedAction) =>
  page(`confirmation--${name}`, (frame, i18n) =>
    confirmationPage(
      { frame, subject, action: '/account/integrations/x', cancelHref: HREFS.integrations },
      i18n,
    ),
  );

export const GALLERY: readonly GalleryPage[] = [
  signIn('sign-in', { organisationHref: '/sign-in/organisation' }),
  page('sign-in--plain', (frame, i18n) =>
    signInPage(
      {
        frame,
        action: '/sign-in',
        resetHref: '/password/reset',
        passkey: { action: '/sign-in/passkey', options: REQUEST_OPTIONS },
        problems: [],
      },
      i18n,
    ),
  ),
  signIn('sign-in--logo', { application: { ...APPLICATION, ...LOGO } }),
  signIn('sign-in--wrong-credentials', {
    email: EMAIL,
    problems: [{ code: 'wrong_credentials' }],
  }),
  signIn('sign-in--again', { email: EMAIL, otherAccountHref: '/other-account' }),
  signIn('sign-in--ended', { problems: [{ code: 'sign_in_ended' }] }),
  signIn('sign-in--empty', {
    problems: [
      { field: 'email', code: 'email_required' },
      { field: 'password', code: 'password_required' },
    ],
  }),
  signIn('sign-in--throttled', { email: EMAIL, problems: [{ code: 'throttled', waitS: 270 }] }),
  signIn('sign-in--upstream', {
    email: EMAIL,
    upstream: {
      organisation: ORGANISATION,
      host: 'id.lindholm.example',
      action: '/sign-in/upstream',
    },
  }),
  page('organisation', (frame, i18n) =>
    organisationPage(
      { frame, action: '/sign-in/organisation', signInHref: '/sign-in', problems: [] },
      i18n,
    ),
  ),
  page('organisation--unknown', (frame, i18n) =>
    organisationPage(
      {
        frame,
        action: '/sign-in/organisation',
        email: 'anna@elsewhere.example',
        signInHref: '/sign-in',
        problems: [{ field: 'email', code: 'organisation_unknown' }],
      },
      i18n,
    ),
  ),
  secondFactor('second-factor-remember', { remember: { ticked: true, lifeS: 2_592_000 } }),
  secondFactor('second-factor', {}),
  secondFactor('second-factor--wrong-code', { problems: [{ field: 'code', code: 'code_wrong' }] }),
  secondFactor('second-factor--passkey', {
    challenge: { method: 'passkey', options: REQUEST_OPTIONS },
    others: [
      { method: 'totp', href: '?method=totp' },
      { method: 'recovery_code', href: '?method=recovery_code' },
    ],
  }),
  secondFactor('second-factor--passkey-failed', {
    challenge: { method: 'passkey', options: REQUEST_OPTIONS },
    problems: [{ code: 'passkey_failed' }],
    others: [],
  }),
  secondFactor('second-factor--recovery-code', {
    challenge: { method: 'recovery_code' },
    others: [{ method: 'totp', href: '?method=totp' }],
    problems: [{ field: 'recovery_code', code: 'recovery_code_wrong' }],
  }),
  page('step-up', (frame, i18n) =>
    stepUpPage(
      {
        frame,
        action: '/account/step-up',
        email: EMAIL,
        reason: 'remove_factor',
        challenge: { method: 'password' },
        others: [{ method: 'totp', href: '?method=totp' }],
        cancelHref: '/account/factors',
        problems: [],
      },
      i18n,
    ),
  ),
  page('enrol-factor', (frame, i18n) =>
    enrolFactorPage(
      {
        frame,
        because: 'application',
        totpHref: '/account/factors/totp',
        passkeyHref: '/account/factors/passkey',
        cancelHref: '/cancel',
      },
      i18n,
    ),
  ),
  page('enrol-factor--policy', (frame, i18n) =>
    enrolFactorPage(
      {
        frame,
        because: 'policy',
        totpHref: '/account/factors/totp',
        passkeyHref: '/account/factors/passkey',
        cancelHref: '/cancel',
      },
      i18n,
    ),
  ),
  page('consent', (frame, i18n) =>
    consentPage(
      {
        frame,
        action: '/consent',
        application: APPLICATION,
        backTo: APPLICATION.host,
        email: EMAIL,
        permissions: ['openid', 'email', 'cls-deal.view', 'offline_access'],
        applicationsHref: HREFS.applications,
      },
      i18n,
    ),
  ),
  page('consent--logo', (frame, i18n) =>
    consentPage(
      {
        frame,
        action: '/consent',
        application: { ...LONG_APPLICATION, ...LOGO },
        backTo: LONG_APPLICATION.host,
        email: EMAIL,
        permissions: ['openid', 'cls-deal.view'],
        applicationsHref: HREFS.applications,
      },
      i18n,
    ),
  ),
  page('consent--long', (frame, i18n) =>
    consentPage(
      {
        frame,
        action: '/consent',
        application: LONG_APPLICATION,
        backTo: LONG_APPLICATION.host,
        email: EMAIL,
        permissions: ['openid', 'profile', 'external-api.fullcontrol', 'cls-report.export'],
        applicationsHref: HREFS.applications,
      },
      i18n,
    ),
  ),
  page('consent--unassured', (frame, i18n) =>
    consentPage(
      {
        frame,
        action: '/consent',
        application: { name: 'Ledger desktop', host: '127.0.0.1:49152' },
        unassured: true,
        backTo: '127.0.0.1:49152',
        email: EMAIL,
        permissions: ['openid', 'cls-deal.view'],
        applicationsHref: HREFS.applications,
      },
      i18n,
    ),
  ),
  page('consent--device', (frame, i18n) =>
    consentPage(
      {
        frame,
        action: '/consent',
        application: { name: 'cls command line', host: '' },
        email: EMAIL,
        permissions: ['openid', 'cls-deal.view'],
        applicationsHref: HREFS.applications,
      },
      i18n,
    ),
  ),
  page('device-code', (frame, i18n) =>
    deviceCodePage({ frame, action: '/device', problems: [] }, i18n),
  ),
  page('device-code--wrong', (frame, i18n) =>
    deviceCodePage(
      {
        frame,
        action: '/device',
        userCode: 'WDJB-MJHX',
        problems: [{ field: 'user_code', code: 'user_code_wrong' }],
      },
      i18n,
    ),
  ),
  page('device-confirmation', (frame, i18n) =>
    deviceConfirmationPage(
      {
        frame,
        action: '/device',
        xsrf: 'x',
        userCode: 'WDJB-MJHT',
        applicationName: 'cls command line',
        email: EMAIL,
        permissions: ['cls-deal.view', 'offline_access'],
        address: '203.0.113.24',
      },
      i18n,
    ),
  ),
  page('device-confirmation--signed-out', (frame, i18n) =>
    deviceConfirmationPage(
      {
        frame,
        action: '/device',
        xsrf: 'x',
        userCode: 'WDJB-MJHT',
        applicationName: 'cls command line',
        permissions: ['openid'],
        address: '2001:db8:4006:812:0123:4567:89ab:cdef',
      },
      i18n,
    ),
  ),
  page('device-done', (frame, i18n) =>
    deviceDonePage({ frame, outcome: 'allowed', applicationName: 'cls command line' }, i18n),
  ),
  page('device-done--denied', (frame, i18n) =>
    deviceDonePage({ frame, outcome: 'denied', applicationName: 'cls command line' }, i18n),
  ),
  page('sign-out', (frame, i18n) =>
    signOutPage(
      {
        frame,
        action: '/oauth/session/end/confirm',
        xsrf: 'x',
        email: EMAIL,
        application: APPLICATION,
        stayHref: HREFS.overview,
      },
      i18n,
    ),
  ),
  page('signed-out', (frame, i18n) => signedOutPage({ frame, signInHref: HREFS.overview }, i18n)),
  page('signed-out--of-application', (frame, i18n) =>
    signedOutPage({ frame, signInHref: HREFS.overview, nextLink: WAY_ON }, i18n),
  ),
  ...['', '--without-cookies'].map((state) =>
    page(`expired${state}`, (frame, i18n) =>
      expiredPage(
        {
          frame,
          nextLink: { ...WAY_ON, to: 'start_again' },
          referenceId: REFERENCE,
          withoutCookies: state !== '',
        },
        i18n,
      ),
    ),
  ),
  page('send-on', (frame, i18n) => refreshRedirectPage({ frame, href: '/sign-in' }, i18n)),
  page('continue', (frame, i18n) =>
    continuePage({ frame, action: '/no-content', fields: [['state', 'a "b" & c']] }, i18n),
  ),
  ...ERROR_KINDS.map((kind) =>
    page(`error--${kind.replaceAll('_', '-')}`, (frame, i18n) =>
      errorPage(
        {
          frame,
          kind,
          referenceId: REFERENCE,
          nextLink: WAYS_ON[kind] ?? WAY_ON,
          ...(kind === 'redirect_mismatch' && {
            technical: {
              error: 'invalid_redirect_uri',
              description:
                "redirect_uri did not match any of the client's registered redirect_uris",
            },
          }),
        },
        i18n,
      ),
    ),
  ),
  page('error--too-many-attempts', (frame, i18n) =>
    errorPage(
      {
        frame,
        kind: 'too_many_attempts',
        referenceId: REFERENCE,
        waitS: 90,
        nextLink: { to: 'sign_in', href: '/sign-in' },
      },
      i18n,
    ),
  ),
  page('reset-request', (frame, i18n) =>
    resetRequestPage(
      { frame, action: '/password/reset', signInHref: '/sign-in', problems: [] },
      i18n,
    ),
  ),
  page('reset-request--invalid', (frame, i18n) =>
    resetRequestPage(
      {
        frame,
        action: '/password/reset',
        email: 'anna.lindholm',
        signInHref: '/sign-in',
        problems: [{ field: 'email', code: 'email_invalid' }],
      },
      i18n,
    ),
  ),
  page('reset-sent', (frame, i18n) =>
    resetSentPage(
      {
        frame,
        email: EMAIL,
        validForS: 1_800,
        requestHref: '/password/reset',
        signInHref: '/sign-in',
      },
      i18n,
    ),
  ),
  page('set-password', (frame, i18n) =>
    setPasswordPage(
      { frame, action: '/password/new', email: EMAIL, lengthMin: 8, problems: [] },
      i18n,
    ),
  ),
  page('set-password--refused', (frame, i18n) =>
    setPasswordPage(
      {
        frame,
        action: '/password/new',
        email: EMAIL,
        lengthMin: 8,
        problems: [
          { field: 'new_password', code: 'password_short', lengthMin: 8 },
          { field: 'new_password', code: 'password_common' },
        ],
      },
      i18n,
    ),
  ),
  page('password-set', (frame, i18n) =>
    passwordSetPage({ frame, nextLink: { to: 'sign_in', href: '/account' } }, i18n),
  ),
  page('password-set--signed-in', (frame, i18n) =>
    passwordSetPage(
      { frame, nextLink: { to: 'sign_out', href: HREFS.signOut }, signedInEmail: EMAIL },
      i18n,
    ),
  ),
  page('invitation', (frame, i18n) =>
    invitationPage(
      {
        frame,
        action: '/invitation',
        email: EMAIL,
        organisation: ORGANISATION,
        lengthMin: 15,
        expiresAt: NOW,
        problems: [],
      },
      i18n,
    ),
  ),
  overview('account', {}),
  overview('account--unprotected', {
    factorCount: 0,
    recoveryCodes: { left: 0, total: 0 },
    sessionCount: 1,
    applicationCount: 0,
    notice: 'password_changed',
  }),
  overview('account--few-codes', { recoveryCodes: { left: 1, total: 10 } }),
  overview('account--used-codes', { recoveryCodes: { left: 0, total: 10 } }),
  overview('account--no-codes', { recoveryCodes: { left: 0, total: 0 } }),
  overview('account--upstream', {
    hrefs: HREFS_WITHOUT_PASSWORD,
    upstream: { organisation: ORGANISATION, host: 'id.lindholm.example' },
    factorCount: 0,
  }),
  page('change-password', (frame, i18n) =>
    changePasswordPage(
      {
        ...account(frame),
        action: HREFS.password,
        lengthMin: 8,
        resetHref: '/password/reset',
        problems: [],
      },
      i18n,
    ),
  ),
  page('change-password--refused', (frame, i18n) =>
    changePasswordPage(
      {
        ...account(frame),
        action: HREFS.password,
        lengthMin: 8,
        resetHref: '/password/reset',
        problems: [
          { field: 'password', code: 'current_password_wrong' },
          { field: 'new_password', code: 'password_common' },
        ],
      },
      i18n,
    ),
  ),
  page('factors', (frame, i18n) =>
    factorsPage(
      {
        ...account(frame),
        ...factors,
        factors: [
          { ...PASSKEY, removeHref: '/account/factors/1/remove' },
          { ...TOTP, removeHref: '/account/factors/2/remove' },
        ],
        recoveryCodes: { left: 8, total: 10 },
        notice: 'factor_added',
      },
      i18n,
    ),
  ),
  page('factors--none', (frame, i18n) =>
    factorsPage(
      { ...account(frame), ...factors, factors: [], recoveryCodes: { left: 0, total: 0 } },
      i18n,
    ),
  ),
  page('factors--last', (frame, i18n) =>
    factorsPage(
      {
        ...account(frame),
        ...factors,
        factors: [TOTP],
        recoveryCodes: { left: 0, total: 0 },
        problems: [{ code: 'last_factor' }],
      },
      i18n,
    ),
  ),
  page('add-totp', (frame, i18n) =>
    addTotpPage(
      {
        frame,
        action: '/account/factors/totp',
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: `otpauth://totp/CLS:${EMAIL}?issuer=CLS&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP`,
        cancelHref: HREFS.factors,
        problems: [],
      },
      i18n,
    ),
  ),
  page('add-totp--wrong-code', (frame, i18n) =>
    addTotpPage(
      {
        frame,
        action: '/account/factors/totp',
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: `otpauth://totp/CLS:${EMAIL}?issuer=CLS&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP`,
        name: 'Pixel 9',
        cancelHref: HREFS.factors,
        problems: [{ field: 'code', code: 'code_wrong' }],
      },
      i18n,
    ),
  ),
  page('change-name', (frame, i18n) =>
    changeNamePage(
      {
        frame,
        action: '/account/name',
        name: 'Asha\u202eRao',
        cancelHref: HREFS.overview,
        problems: [{ field: 'name', code: 'name_not_valid' }],
      },
      i18n,
    ),
  ),
  page('rename-factor', (frame, i18n) =>
    renameFactorPage(
      {
        frame,
        action: '/account/factors/rename',
        name: 'Pixel 9',
        cancelHref: HREFS.factors,
        problems: [{ field: 'name', code: 'name_taken' }],
      },
      i18n,
    ),
  ),
  page('add-passkey', (frame, i18n) =>
    addPasskeyPage(
      {
        frame,
        action: '/account/factors/passkey',
        options: CREATION_OPTIONS,
        cancelHref: HREFS.factors,
        problems: [],
      },
      i18n,
    ),
  ),
  page('recovery-codes', (frame, i18n) =>
    recoveryCodesPage(
      {
        frame,
        action: '/account/recovery-codes',
        email: EMAIL,
        codes: RECOVERY_CODES,
        createdAt: NOW,
        problems: [],
      },
      i18n,
    ),
  ),
  page('recovery-codes--not-saved', (frame, i18n) =>
    recoveryCodesPage(
      {
        frame,
        action: '/account/recovery-codes',
        email: EMAIL,
        codes: RECOVERY_CODES,
        createdAt: NOW,
        problems: [{ field: 'saved', code: 'not_saved' }],
      },
      i18n,
    ),
  ),
  page('sessions', (frame, i18n) =>
    sessionsPage(
      {
        ...account(frame),
        sessions: SESSIONS,
        devices: [DEVICE],
        forgetAction: '/account/sessions/forget',
        endAction: '/account/sessions/end',
        endOthersAction: '/account/sessions/end-others',
      },
      i18n,
    ),
  ),
  page('sessions--one', (frame, i18n) =>
    sessionsPage(
      {
        ...account(frame),
        sessions: SESSIONS.slice(0, 1),
        devices: [],
        forgetAction: '/account/sessions/forget',
        endAction: '/account/sessions/end',
        endOthersAction: '/account/sessions/end-others',
        notice: 'sessions_ended',
      },
      i18n,
    ),
  ),
  page('applications', (frame, i18n) =>
    applicationsPage(
      {
        ...account(frame),
        applications: [
          {
            ...APPLICATION,
            permissions: ['email', 'cls-deal.view', 'offline_access'],
            since: MONTHS_AGO,
            lastUsedAt: NOW,
            openHref: 'https://portal.lindholm.example/login?iss=https%3A%2F%2Fid.cls.example',
            withdrawHref: '/account/applications/1/withdraw',
          },
          {
            ...LONG_APPLICATION,
            ...LOGO,
            permissions: ['cls-deal.view'],
            since: MONTHS_AGO,
            withdrawHref: '/account/applications/2/withdraw',
          },
          {
            ...COMMAND_LINE_TOOL,
            permissions: ['cls-deal.view', 'offline_access'],
            since: NOW,
            withdrawHref: '/account/applications/3/withdraw',
          },
        ],
      },
      i18n,
    ),
  ),
  page('applications--none', (frame, i18n) =>
    applicationsPage({ ...account(frame), applications: [], notice: 'access_withdrawn' }, i18n),
  ),
  page('security-log', (frame, i18n) =>
    securityLogPage(
      {
        ...account(frame),
        entries: LOG,
        newerHref: '/account/log?before=1',
        olderHref: '/account/log?after=1',
      },
      i18n,
    ),
  ),
  page('security-log--none', (frame, i18n) =>
    securityLogPage({ ...account(frame), entries: [] }, i18n),
  ),
  page('security-log--upstream', (frame, i18n) =>
    securityLogPage({ ...account(frame), hrefs: HREFS_WITHOUT_PASSWORD, entries: LOG }, i18n),
  ),
  page('confirmation--remove-factor', (frame, i18n) =>
    confirmationPage(
      {
        frame,
        subject: { kind: 'remove_factor', name: 'Pixel 9', last: true },
        action: '/account/factors/2/remove',
        cancelHref: HREFS.factors,
      },
      i18n,
    ),
  ),
  page('confirmation--withdraw-access', (frame, i18n) =>
    confirmationPage(
      {
        frame,
        subject: { kind: 'withdraw_access', name: LONG_APPLICATION.name },
        action: '/account/applications/2/withdraw',
        cancelHref: HREFS.applications,
      },
      i18n,
    ),
  ),
  page('confirmation--new-codes', (frame, i18n) =>
    confirmationPage(
      {
        frame,
        subject: { kind: 'new_recovery_codes' },
        action: '/account/recovery-codes',
        cancelHref: HREFS.factors,
      },
      i18n,
    ),
  ),
  confirmation('revoke-secret', { kind: 'revoke_secret', name: SECRET.id }),
  confirmation('revoke-used-secret', { kind: 'revoke_used_secret', name: SECRET.name }),
  confirmation('secret-leaked', { kind: 'secret_leaked', name: LONG_APPLICATION.name }),
  confirmation('secret-leaked-operator', { kind: 'secret_leaked_operator', name: 'Treasury' }),
  page('integrations', (frame, i18n) =>
    integrationsPage(
      {
        ...account({ ...frame, explorerHref: 'https://balances.example/' }),
        integrations: [
          {
            ...INTEGRATION,
            secrets: [
              SECRET,
              { ...SECRET_HREFS, id: SECRET.id, name: null, createdAt: NOW },
              { ...SECRET, name: 'Before the move', endsAt: IN_WEEKS },
            ],
          },
          {
            ...{ ...INTEGRATION, name: LONG_APPLICATION.name, newSecrets: 'operator' as const },
            permissions: ['external-api.fullcontrol', 'cls-ledger.post', 'cls-accounts.manage'],
            secrets: [SECRET_OF_OPERATOR],
          },
          {
            ...{ ...INTEGRATION, name: 'Warehouse', disabled: true, secrets: [] },
            newSecrets: 'none' as const,
          },
        ],
        requestsHref: '/account/integrations/requests',
        peopleHref: '/account/integrations/people',
        applicationsHref: '/account/integrations/applications',
        notice: 'secret_revoked',
      },
      i18n,
    ),
  ),
  page('integrations--none', (frame, i18n) =>
    integrationsPage(
      {
        ...account(frame),
        integrations: [],
        requestsHref: '/account/integrations/requests',
        peopleHref: '/account/integrations/people',
        applicationsHref: '/account/integrations/applications',
      },
      i18n,
    ),
  ),
  page('new-secret', (frame, i18n) => newSecretPage({ frame, ...NEW_SECRET, problems: [] }, i18n)),
  page('new-secret--no-name', (frame, i18n) =>
    newSecretPage(
      { frame, ...NEW_SECRET, problems: [{ field: 'name', code: 'secret_name' }] },
      i18n,
    ),
  ),
  page('new-secret--too-many', (frame, i18n) =>
    newSecretPage({ frame, ...NEW_SECRET, problems: [{ code: 'too_many_secrets' }] }, i18n),
  ),
  page('replace-secret', (frame, i18n) =>
    replaceSecretPage({ frame, ...NEW_SECRET, name: SECRET.name, keepFor: '7d' }, i18n),
  ),
  page('shown-secret', (frame, i18n) =>
    shownSecretPage(
      {
        frame,
        client: INTEGRATION.name,
        clientId: INTEGRATION.id,
        secretId: SECRET.id,
        secret: `cls_${'0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3AbCdEfGhI'}`,
        doneHref: HREFS.integrations,
      },
      i18n,
    ),
  ),
  page('token-requests', (frame, i18n) =>
    tokenRequestsPage(
      {
        ...account(frame),
        requests: [
          { name: 'Treasury', at: NOW, address: '203.0.113.24', issued: true },
          {
            ...{ name: LONG_APPLICATION.name, at: NOW, address: '2001:db8::24', issued: false },
            reason: 'invalid_client',
          },
          { name: 'Treasury', at: MONTHS_AGO, issued: false, reason: 'use_dpop_nonce' },
        ],
      },
      i18n,
    ),
  ),
  page('token-requests--none', (frame, i18n) =>
    tokenRequestsPage({ ...account(frame), requests: [] }, i18n),
  ),
  page('customer-applications', (frame, i18n) =>
    customerApplicationsPage(
      {
        ...account(frame),
        applications: [
          {
            ...APPLICATION,
            ...LOGO,
            ...{ id: 'app_01J9ZQ5W1XG8K7N4T2M6P3R0SV', scopes: ['openid', 'cls-deal.view'] },
            ...{ redirectUris: ['https://portal.lindholm.example/callback'], disabled: false },
            openHref: 'https://portal.lindholm.example/',
          },
          {
            ...COMMAND_LINE_TOOL,
            ...{ id: 'app_01J9ZQ6A7MB2Y4H8D0C3F5E9WT', scopes: ['openid'] },
            ...{ redirectUris: [], disabled: true },
          },
        ],
      },
      i18n,
    ),
  ),
  page('customer-applications--none', (frame, i18n) =>
    customerApplicationsPage({ ...account(frame), applications: [] }, i18n),
  ),
  page('people', (frame, i18n) =>
    peoplePage(
      {
        ...account(frame),
        people: [
          {
            ...{ email: EMAIL, name: 'Anna Lindholm', disabled: false, pending: false },
            ...{ permissions: ['cls-deal.view', 'cls-customer.administer'], secondFactor: true },
            lastSignedInAt: NOW,
          },
          {
            ...{ email: 'bo@lindholm.example', disabled: false, pending: true },
            ...{ permissions: ['cls-deal.view'], secondFactor: false },
          },
          {
            ...{ email: 'cy@lindholm.example', name: 'Cy', disabled: true, pending: false },
            ...{ permissions: ['cls-deal.view'], secondFactor: false },
          },
        ],
        moreHref: '/account/integrations/people?after=1',
      },
      i18n,
    ),
  ),
];
