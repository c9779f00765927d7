/** What the other side made of a message: `refused` for good, `later` for now. */
export interface SendResult {
  readonly outcome: 'delivered' | 'refused' | 'later';
  /** What it answered: kept as evidence. */
  readonly answer: string;
}

/** What became of one attempt. */
export type AttemptResult =
  | { readonly outcome: 'delivered' | 'failed'; readonly answer: string }
  | { readonly outcome: 'pending'; readonly answer: string; readonly nextAttemptAt: Date };

const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 6 * 3_600_000;
/** About three days. */
const MOST_ATTEMPTS = 20;
const ANSWER_MAX_CHARS = 300;

/**
 * Decides whether a message is tried again, and when.
 *
 * @param attempts how many there are, this one included.
 * @param random from 0 to 1: the time until the next attempt is shortened by up to a half.
 */
export function attemptResult(
  { outcome, answer }: SendResult,
  attempts: number,
  now: Date,
  random: number,
): AttemptResult {
  const short = answer.slice(0, ANSWER_MAX_CHARS);
  if (outcome === 'delivered') return { outcome: 'delivered', answer: short };
  // An operator who has it tried again gives it as many attempts once more.
  const round = (attempts - 1) % MOST_ATTEMPTS;
  if (outcome === 'refused' || round === MOST_ATTEMPTS - 1) {
    return { outcome: 'failed', answer: short };
  }
  const wait = Math.min(FIRST_RETRY_MS * 2 ** round, LONGEST_RETRY_MS) * (1 - random / 2);
  return { outcome: 'pending', answer: short, nextAttemptAt: new Date(now.getTime() + wait) };
}
