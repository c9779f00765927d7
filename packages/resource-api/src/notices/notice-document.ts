import type { AffectedCall } from './affected-calls.ts';
import { type DueNotice, type NoticeEvent, type NoticeStage, RECENT_DAYS } from './notice-stage.ts';

/** What a webhook receives; the e-mail says the same. */
export interface NoticeDocument {
  readonly type: `api_version.${NoticeEvent | 'retired'}`;
  /** When the notice was written: not later at a further attempt. */
  readonly timestamp: string;
  readonly data: NoticeData;
}

export interface NoticeData {
  /** Of this shape. A change that is incompatible gets the next number. */
  readonly format: 1;
  readonly customer: string;
  readonly event: NoticeEvent;
  readonly stage: NoticeStage;
  /** The version that ends, or that `latest` will be. */
  readonly version: string;
  readonly happensAt: string;
  /** What the customer asks for, in the path. */
  readonly asked: string;
  /** What to use. */
  readonly successor: string;
  readonly summary: string;
  /** What the customer called in the last `days`. */
  readonly days: number;
  readonly calls: readonly AffectedCall[];
  readonly whatToDo: readonly string[];
  readonly policy: string;
}

/** @param policyUrl where customers read the policy of versions. */
export function noticeDocument(
  due: DueNotice,
  customer: string,
  calls: readonly AffectedCall[],
  now: Date,
  policyUrl: string,
): NoticeDocument {
  const { event, stage, version, happensAt, asked, to } = due;
  return {
    type: `api_version.${stage === 'retired' ? stage : event}`,
    timestamp: now.toISOString(),
    data: {
      ...{ format: 1, customer, event, stage, version, happensAt, asked, successor: to.id },
      summary: summaryOf(due, now),
      ...{ days: RECENT_DAYS, calls, whatToDo: whatToDo(due, calls), policy: policyUrl },
    },
  };
}

function summaryOf({ event, stage, version, happensAt, from, to }: DueNotice, now: Date): string {
  const at = instantText(happensAt);
  if (event === 'promotion') {
    return `On ${at}, "latest" becomes ${version}; it is ${from.id} now.`;
  }
  if (event === 'deprecation') {
    return `Version ${version} of the API is deprecated from ${at} on. Its end has no date yet; ${to.id} is to be used instead.`;
  }
  if (stage === 'retired') {
    return `Version ${version} of the API was retired. It answers 410 (version_retired); use ${to.id}.`;
  }
  if (now.getTime() >= Date.parse(happensAt)) {
    return `Version ${version} of the API was to retire on ${at}. It may answer 410 (version_retired) at any time from now on; use ${to.id}.`;
  }
  return `Version ${version} of the API retires on ${at}. From then on it answers 410 (version_retired); use ${to.id}.`;
}

function whatToDo(
  { event, asked, from, to, happensAt }: DueNotice,
  calls: readonly AffectedCall[],
): readonly string[] {
  const isTouched = calls.some(({ changes }) => changes.length > 0);
  const change = isTouched
    ? `Change your programs where the calls of this notice are touched by a change.`
    : `No call of yours is touched by a change: your programs need no change but the path.`;
  if (event === 'promotion') {
    return [
      isTouched ? change : 'No call of yours is touched by a change.',
      `Try your programs at /api/${to.id} before ${instantText(happensAt)}.`,
      `In a program, ask for a version by its number: /api/${from.id} goes on answering as "latest" does now, and you choose the day on which your program changes.`,
    ];
  }
  return [
    change,
    `Replace /api/${asked} by /api/${to.id} in the path.`,
    'Look at the header API-Version of the answers: it names the version that answered.',
  ];
}

/** Such as `2028-12-01 00:00 UTC`. */
function instantText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;
}
