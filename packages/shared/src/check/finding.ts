/**
 * What `cls-auth check`, `cls-api check` and `cls-explorer check` find: each part of an installation
 * is looked at as the service would use it, and nothing is changed.
 */

export const RESULTS = ['ok', 'warning', 'failed', 'skipped'] as const;
/** `failed`: the service does not work so. `warning`: it works, and may not for long, or not safely. */
export type Result = (typeof RESULTS)[number];

export interface Finding {
  /** `database`, `redis`, …: one part of the installation. */
  readonly part: string;
  readonly check: string;
  readonly result: Result;
  readonly found: string;
  /** What to do; of everything but `ok`. */
  readonly todo?: string;
}

type Say = (check: string, found: string, todo: string) => Finding;

/** Makes the findings of one part. */
export interface Findings {
  ok(check: string, found: string): Finding;
  readonly warning: Say;
  readonly failed: Say;
  readonly skipped: Say;
}

export function findingsOf(part: string): Findings {
  const say =
    (result: Result): Say =>
    (check, found, todo) => ({ part, check, result, found, todo });
  return {
    ok: (check, found) => ({ part, check, result: 'ok', found }),
    warning: say('warning'),
    failed: say('failed'),
    skipped: say('skipped'),
  };
}

/** What the start of a service refuses with `what is wrong: what to do`. */
export function refusalFinding(findings: Findings, check: string, sentence: string): Finding {
  const [found = '', ...todo] = sentence.split(': ');
  return findings.failed(check, found, todo.join(': '));
}
