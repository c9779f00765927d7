/** Finds the ids that grants and filters need. */
export interface Directory {
  deals(search: string, limit: number): Promise<readonly Listed[]>;
  parties(search: string, limit: number): Promise<readonly Listed[]>;
}

export interface Listed {
  readonly id: string;
  readonly name: string;
  /** Deal number, or country. */
  readonly detail: string | null;
}
