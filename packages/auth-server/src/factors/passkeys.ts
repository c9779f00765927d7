/**
 * Passkeys (WebAuthn level 3): adding one, and signing in with one, as the second step after a
 * password or as the only step, where the authenticator itself verifies the person.
 *
 * A ceremony is found again by its challenge: 256 random bits, good once and for minutes, and only
 * with the same `binding` (the interaction's or session's id), so that nobody finishes what another
 * browser began. `credential` is what the page's form sends: the credential's standard JSON.
 */
import { type Account, type AccountDirectory, hasPassword } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import { digest } from '../crypto/digest.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import { oneTimeState } from '../state/one-time-state.ts';
import {
  type AddedFactor,
  type AddFactorDeps,
  addFactor,
  freeName,
  isThere,
  type PlannedFactor,
  planFactor,
} from './add-factor.ts';
import type { Proof } from './authentication-methods.ts';
import { type Credential, parseCredential } from './credential-json.ts';
import type { FactorProblem, FactorRecords } from './factor.ts';
import type { CeremonyOptions, PasskeyRecords, WebAuthn } from './passkey.ts';

export type PasskeyProof = Extract<Proof, { method: 'passkey' }>;

export interface Passkeys {
  /** `PublicKeyCredentialCreationOptionsJSON` for the page. */
  beginCreation(account: Account, binding: string): Promise<CeremonyOptions>;
  finishCreation(
    account: Account,
    binding: string,
    form: { readonly credential: string; readonly name: string },
    actor: Actor,
  ): Promise<AddedFactor | { readonly problem: FactorProblem }>;
  /** Whether this credential has been added already, and its request is to be answered again. */
  isAdded(account: Account, binding: string, credential: string): Promise<boolean>;
  /** `PublicKeyCredentialRequestOptionsJSON`, for autofill and the button. */
  beginSignIn(binding: string): Promise<CeremonyOptions>;
  /** The person, verified by the authenticator; undefined when anything is wrong. */
  finishSignIn(
    binding: string,
    credential: string,
  ): Promise<{ readonly account: Account; readonly proof: PasskeyProof } | undefined>;
  /** `PublicKeyCredentialRequestOptionsJSON` that names the account's passkeys. */
  beginSecondStep(account: Account, binding: string): Promise<CeremonyOptions>;
  /** Undefined when anything is wrong. */
  finishSecondStep(
    account: Account,
    binding: string,
    credential: string,
  ): Promise<PasskeyProof | undefined>;
}

export interface PasskeyDeps extends AuditAndNotifyDeps, AddFactorDeps {
  readonly webAuthn: WebAuthn;
  readonly passkeys: PasskeyRecords;
  readonly factors: FactorRecords;
  readonly accounts: AccountDirectory;
}

/** Autofill waits for as long as the sign-in page is open, and that is good for 15 minutes. */
const TTL_S = { create: 600, sign_in: 900, second_step: 600 } as const;

interface Ceremony {
  readonly purpose: keyof typeof TTL_S;
  readonly binding: string;
  readonly accountId?: string;
  /** Of a creation. */
  readonly planned?: PlannedFactor;
}

interface Answer {
  readonly credential: Credential;
  readonly planned?: PlannedFactor | undefined;
}

export function passkeys(deps: PasskeyDeps): Passkeys {
  const ceremonies = oneTimeState<Ceremony>(deps.state, 'PasskeyChallenge');
  const begin = async (options: CeremonyOptions, ceremony: Ceremony) => {
    await ceremonies.put(options.challenge, ceremony, TTL_S[ceremony.purpose]);
    return options;
  };
  /** The credential, if it answers a challenge that was put for just this. */
  const pending = async (text: string, expected: Ceremony): Promise<Answer | undefined> => {
    const credential = parseCredential(text);
    if (credential === undefined) return undefined;
    const found = await ceremonies.look(credential.challenge);
    const same =
      found?.purpose === expected.purpose &&
      found.binding === expected.binding &&
      found.accountId === expected.accountId;
    return same ? { credential, planned: found.planned } : undefined;
  };
  /** The same, and now for once. */
  const answer = async (text: string, expected: Ceremony): Promise<Answer | undefined> => {
    const found = await pending(text, expected);
    if (found === undefined) return undefined;
    const taken = await ceremonies.take(found.credential.challenge);
    return taken === undefined ? undefined : found;
  };

  return {
    beginCreation: async (account, binding) =>
      begin(
        await deps.webAuthn.creationOptions(account, await deps.passkeys.ofAccount(account.id)),
        { purpose: 'create', binding, accountId: account.id, planned: planFactor() },
      ),
    async finishCreation(account, binding, form, actor) {
      const expected = { purpose: 'create', binding, accountId: account.id } as const;
      const begun = await pending(form.credential, expected);
      const name = await freeName(deps.factors, account.id, form.name, begun?.planned?.factorId);
      if (typeof name === 'object') return { problem: name };
      const { credential, planned } = (await answer(form.credential, expected)) ?? {};
      const created =
        credential && (await deps.webAuthn.verifyCreation(credential.json, credential.challenge));
      if (created === undefined || planned === undefined)
        return { problem: { code: 'passkey_failed' } };
      const { userVerified, synced } = created;
      const proof = { method: 'passkey', userVerified, synced } as const;
      const added = await addFactor(deps, account, binding, { ...planned, name, proof }, (factor) =>
        deps.passkeys.addPasskey(account.id, factor, created),
      );
      if ('problem' in added) return added;
      auditAndNotify(
        deps,
        'account.passkey_added',
        account,
        actor,
        added.factor.name,
        planned.factorId,
      );
      return added;
    },
    async isAdded(account, binding, credential) {
      const expected = { purpose: 'create', binding, accountId: account.id } as const;
      const { planned } = (await pending(credential, expected)) ?? {};
      return planned !== undefined && isThere(deps.factors, account, planned);
    },
    beginSignIn: async (binding) =>
      begin(await deps.webAuthn.requestOptions(), { purpose: 'sign_in', binding }),
    async finishSignIn(binding, text) {
      const { credential } = (await answer(text, { purpose: 'sign_in', binding })) ?? {};
      // Nobody was named before: the authenticator must say whose passkey it is (§7.2, step 6).
      if (credential?.userHandle === undefined) return undefined;
      const proven = await prove(deps, credential, credential.userHandle);
      if (!proven?.userVerified) return undefined;
      const account = await deps.accounts.find(credential.userHandle);
      if (account === undefined || account.disabled) return undefined;
      // Without a password it is the organisation that lets the person in, or lets nobody in yet.
      return hasPassword(account) ? { account, proof: proven } : undefined;
    },
    beginSecondStep: async (account, binding) =>
      begin(await deps.webAuthn.requestOptions(await deps.passkeys.ofAccount(account.id)), {
        purpose: 'second_step',
        binding,
        accountId: account.id,
      }),
    async finishSecondStep(account, binding, text) {
      const expected = { purpose: 'second_step', binding, accountId: account.id } as const;
      const { credential } = (await answer(text, expected)) ?? {};
      return credential && prove(deps, credential, account.id);
    },
  };
}

async function prove(
  { passkeys, webAuthn }: PasskeyDeps,
  { id, challenge, userHandle, json }: Credential,
  accountId: string,
): Promise<PasskeyProof | undefined> {
  const passkey = await passkeys.findPasskey(id);
  if (passkey?.accountId !== accountId) return undefined;
  if (userHandle !== undefined && userHandle !== accountId) return undefined;
  // The same answer again, after a failure: its counter is the one that is stored.
  const again = passkey.usedFor === digest(challenge) && passkey.counter > 0;
  const known = again ? { ...passkey, counter: passkey.counter - 1 } : passkey;
  const assertion = await webAuthn.verifyAssertion(json, challenge, known);
  if (assertion === undefined) return undefined;
  if (!(await passkeys.usePasskey(id, assertion.counter, challenge))) return undefined;
  return { method: 'passkey', userVerified: assertion.userVerified, synced: passkey.synced };
}
