import { checkProfile } from '../profile/check-profile.ts';
import { type ImportProfile, profileSchema } from '../profile/profile.ts';

/** A profile under the name that imports over HTTP give. */
export interface RegisteredProfile {
  readonly name: string;
  /** As it was registered, without the defaults of this build. */
  readonly profile: unknown;
  /** RFC 3339 in UTC. */
  readonly changedAt: string;
}

/** The profiles of a deployment, for all who may post. */
export interface ImportProfiles {
  list(): Promise<readonly RegisteredProfile[]>;
  find(name: string): Promise<RegisteredProfile | undefined>;
  /**
   * @param document a profile that was checked.
   * @param by the caller's subject, or `operator` for the tool.
   */
  put(name: string, document: unknown, by: string): Promise<RegisteredProfile>;
  /** @returns false where there was none. */
  remove(name: string): Promise<boolean>;
}

/** What a name looks like, which is the `name` of the profile too. */
export const PROFILE_NAME = /^[a-z0-9-]{1,100}$/;

/** What is wrong with a profile under a name: sentences, none where it is good. */
export function profileFaults(name: string, document: unknown): readonly string[] {
  if (!PROFILE_NAME.test(name)) return ['name: expected small letters, digits and hyphens'];
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
