import type { FileFault } from '../file/table.ts';
import type { ImportReport } from '../import-report.ts';
import type { SanityFinding } from '../sanity.ts';
import type { FindingKind } from '../statement/report.ts';
import { counted, grouped, type Section } from './section.ts';
import { ADVICE, CHECK_ADVICE, titleOf } from './words.ts';

const KINDS_SHOWN = 50;

/** Faults or warnings by kind; none where there are none. What is of no row is a sentence. */
export function findingsSection(title: string, kinds: readonly FindingKind[]): Section | undefined {
  if (kinds.length === 0) return undefined;
  const ofRows = kinds.filter(({ first }) => (first[0]?.row ?? 0) > 0);
  const more = ofRows.length - KINDS_SHOWN;
  const rows = ofRows
    .slice(0, KINDS_SHOWN)
    .map(({ code, column, count, first }) => [
      `${titleOf(code)} (${code})`,
      column,
      grouped(`${count}`),
      firstOf(first),
      ADVICE[code] ?? '',
    ]);
  const columns = ['What', 'Column', 'Times', 'First of them', 'What to do'];
  const sentences = [
    ...kinds.filter((kind) => !ofRows.includes(kind)).flatMap(sentencesOf),
    ...(more > 0 ? [`${counted(more, 'further kind')} are not shown.`] : []),
  ];
  return {
    title,
    sentences,
    ...(rows.length === 0 ? {} : { table: { columns, numbers: ['Times'], rows } }),
  };
}

function sentencesOf({ code, column, count, first }: FindingKind): readonly string[] {
  const sentences = first.map(({ message, value }) => {
    const where = column === '' ? '' : `${column}: `;
    const found = value === '' ? '' : `: ${value}`;
    const advice = ADVICE[code];
    return `${where}${message} (${code}${found}).${advice === undefined ? '' : ` ${advice}`}`;
  });
  const more = count - first.length;
  return more > 0 ? [...sentences, `${code}: ${grouped(`${more}`)} more.`] : sentences;
}

/** `row 3 “x”, row 7 “y”: expected a decimal`. */
function firstOf(first: readonly FileFault[]): string {
  const where = first.flatMap(({ row, value }) => {
    const parts = [...(row > 0 ? [`row ${row}`] : []), ...(value === '' ? [] : [`“${value}”`])];
    return parts.length === 0 ? [] : [parts.join(' ')];
  });
  const message = first[0]?.message ?? '';
  return where.length === 0 ? message : `${where.join(', ')}: ${message}`;
}

const RESULTS: Readonly<Record<SanityFinding['severity'], string>> = {
  refused: 'REFUSED',
  accepted: 'accepted',
  warning: 'a warning',
};

/** What is unlikely, and how it can be accepted. */
export function checksSection({ sanity, outcome }: ImportReport): Section | undefined {
  if (sanity.length === 0 || outcome === 'applied_before') return undefined;
  const refusing = sanity.filter(({ severity }) => severity === 'refused');
  const rows = sanity.map((finding) => [
    `${finding.message}${thresholdOf(finding)} (${finding.check})`,
    grouped(`${finding.count}`),
    foundOf(finding),
    `${RESULTS[finding.severity]}${finding.reason === undefined ? '' : `: ${finding.reason}`}`,
    CHECK_ADVICE[finding.check],
  ]);
  const columns = ['Check', 'Found', 'First of them', 'Result', 'What to do'];
  const commands = refusing.map(
    ({ check }) => `To apply although it is unlikely, give the reason: --accept '${check}=REASON'`,
  );
  return { title: 'Checks', sentences: [], commands, table: { columns, numbers: ['Found'], rows } };
}

function foundOf({ rows, examples = [] }: SanityFinding): string {
  if (examples.length > 0) return examples.join('; ');
  return rows.length === 0 ? '' : `row${rows.length === 1 ? '' : 's'} ${rows.join(', ')}`;
}

/** A share of loans as a percentage. */
function thresholdOf({ check, threshold }: SanityFinding): string {
  if (threshold === undefined) return '';
  const isShare = check === 'many_loans_vanish';
  return `: more than ${isShare ? `${Math.round(threshold * 10_000) / 100} %` : threshold}`;
}
