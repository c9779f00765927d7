import { type Html, html } from '@cls/shared/http/html';
import type { AffectedCall, AffectedCaller, CallChange } from './affected-calls.ts';
import type { NoticeData, NoticeDocument } from './notice-document.ts';
import type { ClaimedNotice } from './notice-outbox.ts';

/** The notice as an e-mail; `text` and `html` say the same. */
export function noticeLetter({ id, document }: Pick<ClaimedNotice, 'id' | 'document'>): {
  subject: string;
  text: string;
  html: string;
} {
  const { type, data } = JSON.parse(document) as NoticeDocument;
  const { customer, asked, calls, days, summary, whatToDo, policy } = data;
  const touched = calls.filter(({ changes }) => changes.length > 0).length;
  const subject = `${SUBJECTS[type](data)}: ${touched} of your ${calls.length} calls ${touched === 1 ? 'needs' : 'need'} a change`;
  const intro = `This notice is for ${customer}, because it called the API at "${asked}" in the last ${days} days.`;
  const footer = [`The policy of versions: ${policy}`, `Notice ${id}`];
  const text = [
    ...[summary, '', intro, '', 'Your calls', ''],
    ...calls.flatMap(callText),
    ...['What to do', '', ...whatToDo.map((step, index) => `${index + 1}. ${step}`), ''],
    ...footer,
    '',
  ].join('\n');
  const page = html`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${subject}</title>
<p>${summary}</p><p>${intro}</p>
<h2>Your calls</h2>
${calls.map(callHtml)}
<h2>What to do</h2>
<ol>${whatToDo.map((step) => html`<li>${step}</li>`)}</ol>
${footer.map((line) => html`<p>${line}</p>`)}
</html>`;
  return { subject, text, html: page.text };
}

const SUBJECTS: Record<NoticeDocument['type'], (data: NoticeData) => string> = {
  'api_version.deprecation': ({ version }) => `API ${version} is deprecated`,
  'api_version.retirement': ({ version, happensAt }) =>
    `API ${version} retires on ${happensAt.slice(0, 10)}`,
  'api_version.retired': ({ version }) => `API ${version} was retired`,
  'api_version.promotion': ({ version, happensAt }) =>
    `API latest becomes ${version} on ${happensAt.slice(0, 10)}`,
};

function callText(call: AffectedCall): readonly string[] {
  const lines = callLines(call).map((line) => `  ${line}`);
  return [`${call.operation}: ${useText(call)}`, ...lines, ''];
}

function callHtml(call: AffectedCall): Html {
  return html`<p><code>${call.operation}</code>: ${useText(call)}</p>
<ul>${callLines(call).map((line) => html`<li>${line}</li>`)}</ul>
`;
}

/** Who calls, and what changes. */
function callLines({ callers, moreCallers, changes }: AffectedCall): readonly string[] {
  return [
    ...callers.map((caller) => `by ${callerText(caller)}`),
    ...(moreCallers > 0 ? [`by ${moreCallers} more callers`] : []),
    ...(changes.length === 0 ? ['no change touches this call'] : []),
    ...changes.map((change) => `change: ${changeText(change)}`),
  ];
}

function useText({ requests, lastDay }: Pick<AffectedCaller, 'requests' | 'lastDay'>): string {
  return `${requests} ${requests === 1 ? 'request' : 'requests'}, the last on ${lastDay}`;
}

function callerText({ clientId, subject, ...use }: AffectedCaller): string {
  const who = clientId === subject ? clientId : `${clientId} for ${subject}`;
  return `${who}: ${useText(use)}`;
}

function changeText({ rules, name, summary }: CallChange): string {
  return `${summary} (${rules.join(', ')}, ${name})`;
}
