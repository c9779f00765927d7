/** A person's second factor, whatever its kind. */
export interface Factor {
  /** `fac_` and 26 characters. */
  readonly id: string;
  readonly kind: 'totp' | 'passkey';
  /** What the person called it; unique in the account. */
  readonly name: string;
  readonly addedAt: Date;
  readonly lastUsedAt?: Date;
}

/** Characters. */
const FACTOR_NAME_MAX = 60;
/** Of each kind; more would multiply what a guess at a code can hit. */
export const FACTORS_MAX = 10;

/** What a person can prove a second factor with; a recovery code is good while there is a factor. */
export type ProvableBy = Readonly<Record<Factor['kind'] | 'recovery_code', boolean>>;

export interface FactorRecords {
  /** The oldest first. */
  list(accountId: string): Promise<readonly Factor[]>;
  provableBy(accountId: string): Promise<ProvableBy>;
  rename(accountId: string, id: string, name: string): Promise<'renamed' | 'taken' | 'unknown'>;
  /**
   * Of concurrent calls that would together remove all, one gets `last` when `keepOne`. With the
   * last one the recovery codes go too.
   */
  remove(accountId: string, id: string, keepOne: boolean): Promise<Factor | 'last' | 'unknown'>;
  /** Every factor and recovery code. */
  removeAll(accountId: string): Promise<void>;
}

/** A factor that is about to be added. */
export interface NewFactor {
  /** Chosen before, so that adding it again after a failure finds it. */
  readonly id: string;
  readonly name: string;
  /** Hashes of recovery codes, for an account that has none yet. */
  readonly codeHashes: readonly string[];
}

export interface InsertedFactor {
  readonly factor: Factor;
  /** The account's recovery codes are those that came with the factor. */
  readonly withCodes: boolean;
}

/** Why a factor was not added or renamed; the shape of the pages' problems. */
export type FactorProblem =
  | { readonly field: 'name'; readonly code: 'name_required' | 'name_taken' }
  | { readonly field: 'code'; readonly code: 'code_required' | 'code_wrong' }
  | {
      readonly code:
        | 'passkey_failed'
        | 'passkey_exists'
        | 'form_stale'
        | 'last_factor'
        | 'too_many_factors';
    };

/** The name as it is kept, or undefined when nothing is left of it. */
export function factorName(text: string): string | undefined {
  const name = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return [...name].slice(0, FACTOR_NAME_MAX).join('').trim() || undefined;
}

/** The account has a factor of this name. */
export class FactorNameTaken extends Error {
  override readonly name = 'FactorNameTaken';
}

/** The account has `FACTORS_MAX` of this kind. */
export class TooManyFactors extends Error {
  override readonly name = 'TooManyFactors';
}
