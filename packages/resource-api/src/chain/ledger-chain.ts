import type { Break } from '../reconcile/reconciler.ts';

/** The last journal and its hash, which stands for every journal before it. */
export interface ChainHead {
  readonly seq: bigint;
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string;
  /** When the journal was posted: RFC 3339. */
  readonly postedAt: string;
  readonly journals: bigint;
  readonly postings: bigint;
}

/** A journal as it is hashed: `hash` is made of the hash before it, a line feed and `content`. */
export interface ChainLink {
  readonly seq: bigint;
  readonly hash: string;
  readonly content: string;
}

/** The chain of hashes over all journals. */
export interface LedgerChain {
  /** Undefined while there is no journal. */
  head(): Promise<ChainHead | undefined>;
  /** What is wrong with the chain through a head that somebody kept: nothing when it is contained. */
  verify(head: Pick<ChainHead, 'seq' | 'hash'>): Promise<readonly Break[]>;
  /** Every link from a sequence on, batch by batch, as of one moment. */
  read(fromSeq: bigint, receive: (links: readonly ChainLink[]) => Promise<void>): Promise<void>;
}
