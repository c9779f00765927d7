import { isStorable, STORABLE_EXPECTED } from '@cls/shared/text';
import { checkProfile } from '../profile/check-profile.ts';
import { type ImportProfile, profileSchema, SANITY_CHECKS } from '../profile/profile.ts';
import { SANITY_RULES } from '../sanity.ts';

export interface RegisteredProfile {
  readonly name: string;
  /** As it was registered, without the defaults of this build. */
  readonly profile: unknown;
  /** RFC 3339 in UTC. */
  readonly changedAt: string;
}

/** What the operator registers is for every customer. */
export const FOR_ALL = '';

/**
 * Profiles by customer: nobody changes how the statements of others are read. A customer also sees those
 * of the operator; one of its own with the same name takes precedence.
 */
export interface ImportProfiles {
  list(customer: string): Promise<readonly RegisteredProfile[]>;
  find(customer: string, name: string): Promise<RegisteredProfile | undefined>;
  /** @param by the caller's subject, or `operator` for the tool. */
  put(customer: string, name: string, document: unknown, by: string): Promise<RegisteredProfile>;
  remove(customer: string, name: string): Promise<boolean>;
}

/** What a name looks like, which is the `name` of the profile too. */
export const PROFILE_NAME = /^[a-z0-9-]{1,100}$/;

/** What is wrong with a profile under a name: sentences, none where it is good. */
export function profileFaults(name: string, document: unknown): readonly string[] {
  if (!PROFILE_NAME.test(name)) return ['name: expected small letters, digits and hyphens'];
  try {
    return isKept(document) ? faultsOf(name, document) : [STORABLE_EXPECTED];
  } catch (error) {
    // The stack ends where a document is nested some thousand levels deep.
    if (!(error instanceof RangeError)) throw error;
    return ['expected lists and settings that are nested less deeply'];
  }
}

/**
 * What a poster's own profile may not say. Its posters accept a check with a reason, which the book keeps; an
 * operator's profile may also switch one off.
 */
export function weakenedChecks(document: unknown): readonly string[] {
  const { sanity } = profileOf(document);
  return SANITY_CHECKS.flatMap((check) => {
    const given = sanity[check] ?? SANITY_RULES[check].severity;
    const { severity, threshold } = SANITY_RULES[check];
    const isWeaker =
      typeof given === 'object'
        ? threshold !== undefined && given.above > threshold
        : given === 'off' || (given === 'warn' && severity === 'refuse');
    if (!isWeaker) return [];
    const most = typeof given === 'object' ? `at most ${threshold}` : severity;
    return `sanity.${check}: expected ${most}, which is what it is by itself; if a file is right although the check refuses it, accept the check at the import with the reason`;
  });
}

/** Whether the database can keep all texts of a document. */
function isKept(document: unknown): boolean {
  let kept = true;
  JSON.stringify(document, (key, value: unknown) => {
    kept &&= isStorable(key) && (typeof value !== 'string' || isStorable(value));
    return value;
  });
  return kept;
}

function faultsOf(name: string, document: unknown): readonly string[] {
  const checked = checkProfile(document);
  if ('questions' in checked) {
    return checked.questions.map(
      ({ path, question }) => `${path}: this is an open question: ${question}`,
    );
  }
  if ('faults' in checked) {
    return checked.faults.map(({ path, message }) =>
      path === '' ? message : `${path}: ${message}`,
    );
  }
  return checked.profile.name === name
    ? []
    : [`name: expected ${name}, as the profile is registered`];
}

/** @throws {ZodError} where the document is none, which `profileFaults` finds before. */
export function profileOf(document: unknown): ImportProfile {
  return profileSchema.parse(document);
}
