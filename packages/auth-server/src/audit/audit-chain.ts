/** A link of the chain: it depends on every event and every link before. */
export interface ChainHead {
  readonly number: bigint;
  /** SHA-256, 64 hexadecimal digits. */
  readonly hash: string;
}

export type ChainFault =
  /** Links before this one were removed. */
  | { readonly link: bigint; readonly fault: 'links_missing' }
  /** Its hash is not that of what it says and of the link before. */
  | { readonly link: bigint; readonly fault: 'link_changed' }
  /** The chain was made anew: somebody kept another hash of this link. */
  | { readonly link: bigint; readonly fault: 'not_the_kept_head' }
  /** The end was cut off, or the database restored from before. */
  | { readonly link: bigint; readonly fault: 'ends_before_kept' }
  /** Events of a month (UTC) that it binds were removed, changed or added. */
  | {
      readonly link: bigint;
      readonly fault: 'events_differ';
      readonly month: string;
      readonly sealed: number;
      readonly found: number;
    }
  /** Events without their person, where no erasure of that account is recorded. */
  | { readonly fault: 'erased_without_a_record'; readonly found: number };

export interface ChainReport {
  readonly head: ChainHead;
  /** Events that are as they were sealed. */
  readonly events: number;
  /** Sealed events of months that are older than the audit is kept. */
  readonly expired: number;
  /** Sealed events of months that an operator dropped, by month. */
  readonly dropped: ReadonlyMap<string, number>;
  /** Events that are not in the chain yet. */
  readonly waiting: number;
  /** Events whose person was erased. */
  readonly erased: number;
  /** The first of them. */
  readonly faults: readonly ChainFault[];
  readonly faultCount: number;
}

export interface AuditChain {
  /**
   * Puts events that came since the last link into a new one.
   *
   * @param pauseS nothing is done where the last link is younger, in seconds.
   * @returns undefined where there is no new link; `more` where events may be left.
   */
  seal(pauseS: number): Promise<(ChainHead & { readonly more: boolean }) | undefined>;
  /**
   * Reads every event and link.
   *
   * @param against `kept`: a head that must still be in the chain; `keptSince`: older months may be
   *   gone, undefined where all are kept.
   */
  verify(against: {
    readonly kept: ChainHead | undefined;
    readonly keptSince: Date | undefined;
  }): Promise<ChainReport>;
}
