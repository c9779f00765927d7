/**
 * SQLSTATEs that say something about the server and nothing about the statement: the same statement
 * may succeed later, so the caller gets 503 and tries again. PostgreSQL's list is its Appendix A,
 * "PostgreSQL Error Codes".
 */

interface PassingState {
  /** A class (two characters) or a code (five). */
  readonly begins: string;
  /** `opening`: of a session that does not open. In an open session the same code is a refusal. */
  readonly when: 'always' | 'opening';
  readonly because: string;
}

export const PASSING_STATES: readonly PassingState[] = [
  { begins: '08', when: 'always', because: 'the connection failed' },
  { begins: '25006', when: 'always', because: 'it is a standby, or was made read-only' },
  { begins: '25P03', when: 'always', because: 'it ended a session that waited in a transaction' },
  { begins: '25P04', when: 'always', because: 'a transaction took too long, as after a freeze' },
  { begins: '40001', when: 'always', because: 'it gave way to another transaction or to recovery' },
  { begins: '40003', when: 'always', because: 'nobody knows whether the statement was completed' },
  { begins: '40P01', when: 'always', because: 'two transactions waited for each other' },
  { begins: '53', when: 'always', because: 'memory, disk or connections are used up' },
  { begins: '57', when: 'always', because: 'an operator, a time limit or a stop ended it' },
  { begins: '58', when: 'always', because: 'its machine failed' },
  { begins: '72', when: 'always', because: 'the snapshot is too old' },
  { begins: '28', when: 'opening', because: 'the login is refused, as in a change of passwords' },
  { begins: '3D', when: 'opening', because: 'the database is away, as in a restore' },
  { begins: '42501', when: 'opening', because: 'the role may not connect to the database' },
  { begins: '55', when: 'opening', because: 'the database takes no connections' },
  { begins: 'F0', when: 'opening', because: 'its configuration cannot be read' },
  // An internal error: PostgreSQL has no better code where a new session finds the disk full.
  { begins: 'XX', when: 'opening', because: 'a file of its own cannot be read or written' },
];

/** Whether a statement that was refused with this SQLSTATE may succeed later. */
export function isUnavailable(code: string): boolean {
  return PASSING_STATES.some(({ begins, when }) => when === 'always' && code.startsWith(begins));
}

/** Whether a session that was refused with this SQLSTATE may open later. */
export function cannotOpen(code: string): boolean {
  return PASSING_STATES.some(({ begins }) => code.startsWith(begins));
}
