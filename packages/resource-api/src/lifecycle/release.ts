/** The six kinds of incompatible change, in the order of docs/reference/versioning.md. */
export type Rule = 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6';

/** A method and a path below `/api/{version}`, such as `GET /cls/balances`. */
export type OperationKey = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

export type VersionId = `v${number}`;

/** A request as a change sees it. */
interface RequestView {
  readonly operation: OperationKey;
  readonly query: URLSearchParams;
}

/** An answer as a change sees it. An export is converted item by item, as a list of one. */
export interface Exchange {
  readonly operation: OperationKey;
  /** The caller's parameters, as its own version spells them. */
  readonly query: URLSearchParams;
  status: number;
  readonly headers: Record<string, string>;
  /** The parsed document; a problem document where the request was refused. */
  body: Record<string, unknown>;
}

/** One incompatible change: what made a version differ from the one before it. */
export interface Change {
  /** Verb first, such as `RenameAmountToBalance`; no two changes have the same. */
  readonly name: string;
  /** For customers: changelog and notices. */
  readonly summary: string;
  /** What the contract gate finds between the two versions. */
  readonly covers: readonly {
    readonly rule: Rule;
    readonly operation: OperationKey;
    readonly pointer?: string;
  }[];
  /** The newest version's code asks `request.applies(name)`; recordings alone show the change. */
  readonly behaviour?: 'flag';
  /**
   * A request of the version before, in place, to this version. With a `cursor`, the query has
   * what concerns the page alone: the cursor's own question goes up by itself.
   */
  up?(request: RequestView): void;
  /** An answer of this version, in place, to the version before; every status, total and pure. */
  down?(exchange: Exchange): void;
}

/** A version's place in time. Instants are RFC 3339 in UTC. */
export interface Release {
  readonly id: VersionId;
  readonly releasedAt: string;
  /** From then on `latest` is this version. */
  readonly promotesAt: string;
  readonly deprecatedAt?: string;
  /** From then on the version answers 410. */
  readonly retiresAt?: string;
  /** Announced windows before the retirement in which the version answers 410. */
  readonly brownouts?: readonly { readonly from: string; readonly to: string }[];
  /** The contract's file, below the package. */
  readonly contract: string;
  readonly changes: readonly Change[];
}

/** When something about a release changes. */
export function instantsOf(release: Release): readonly string[] {
  const { releasedAt, promotesAt, deprecatedAt, retiresAt, brownouts = [] } = release;
  const windows = brownouts.flatMap(({ from, to }) => [from, to]);
  return [releasedAt, promotesAt, deprecatedAt ?? [], retiresAt ?? [], windows].flat();
}
