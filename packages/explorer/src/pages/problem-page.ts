import { html } from '@cls/shared/http/html';
import { cardPage, type Frame } from '../web/layout.ts';

export type ProblemKind =
  | 'internal'
  | 'unavailable'
  | 'busy'
  | 'not_found'
  | 'not_yet'
  | 'no_permission'
  | 'no_usage'
  | 'throttled'
  | 'bad_address'
  | 'list_ended'
  | 'date_outside'
  | 'known_outside'
  | 'not_trusted'
  | 'rate_missing';

export interface ProblemDetails {
  /** The address to load again, where that may help. */
  readonly again?: string;
  /** Where the person goes on, instead of the first page. */
  readonly href?: string;
  readonly waitS?: string;
  /** The parameters of the address that are at fault. */
  readonly parameters?: readonly string[];
  /** Dates that the sentences name. */
  readonly dates?: Readonly<Record<string, string>>;
}

/** What happened, in words, and a way on. */
export function problemPage(
  kind: ProblemKind,
  { again, href = '/', waitS, parameters = [], dates = {} }: ProblemDetails = {},
): (frame: Frame) => string {
  return (frame) => {
    const { text } = frame;
    const values = Object.fromEntries(
      Object.entries(dates).map(([name, day]) => [name, text.date(day)]),
    );
    return cardPage(frame, {
      title: text.t(`problem.${kind}.title`, values),
      body: html`<p>${text.t(`problem.${kind}.text`, values)}</p>
${parameters.length > 0 && html`<p>${text.t('problem.parameters')} ${parameters.map((name) => html`<code>${name}</code> `)}</p>`}
${waitS !== undefined && html`<p>${text.t('problem.wait', { seconds: waitS })}</p>`}
${again !== undefined && html`<p><a class="button primary" href="${again}">${text.t('problem.again')}</a></p>`}
<p><a class="button" href="${href}">${text.t(`problem.${kind}.link`, values)}</a></p>`,
    });
  };
}
