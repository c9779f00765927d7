/** What a report says of an import, in the order in which somebody who decides reads it. Pure. */
import { percentOf } from '../../ledger/rate.ts';
import type { ImportReport } from '../import-report.ts';
import type { ChangesByKind } from '../plan/change-summary.ts';
import type { ChangeKind } from '../plan/changes.ts';
import { checksSection, findingsSection } from './finding-sections.ts';
import { controlSection, largestSection, outstandingSection } from './money-sections.ts';
import { counted, grouped, type Section } from './section.ts';
import { CHANGE_WORDS, FIELD_WORDS } from './words.ts';

const FIRST_SHOWN = 3;

export function reportSections(report: ImportReport): readonly Section[] {
  const { faultKinds, warningKinds } = report;
  const relaxed = (code: string) => code === 'rounding_gap' || code === 'identity_off';
  const sections = [
    outcomeSection(report),
    findingsSection('Faults', faultKinds),
    checksSection(report),
    outstandingSection(report),
    changesSection(report),
    largestSection(report),
    controlSection(report),
    findingsSection(
      'Warnings',
      warningKinds.filter(({ code }) => !relaxed(code)),
    ),
    findingsSection(
      'Sums that were not checked exactly',
      warningKinds.filter(({ code }) => relaxed(code)),
    ),
  ];
  return sections.filter((section) => section !== undefined);
}

const TITLES: Readonly<Record<ImportReport['outcome'], string>> = {
  valid: 'can be applied',
  applied: 'applied',
  applied_before: 'applied before',
  refused: 'refused',
};

function outcomeSection(report: ImportReport): Section {
  const { outcome, asOf, file, profile, rows, fileSha256, newLoans, journals, postings } = report;
  const facts = [
    ['File', file],
    ['Profile', profile],
    ['Rows', grouped(`${rows}`)],
    [
      'Journals',
      `${grouped(`${journals}`)} with ${counted(postings, 'posting')}; ${counted(newLoans, 'new loan')}`,
    ],
    ['SHA-256', fileSha256],
  ];
  const known = outcome === 'refused' ? facts.filter(([name]) => name !== 'Journals') : facts;
  return {
    title: `Statement${asOf === undefined ? '' : ` of ${asOf}`}: ${TITLES[outcome]}`,
    sentences: outcomeSentences(report),
    commands: outcomeCommands(report),
    table: { columns: ['', ''], rows: known },
  };
}

function outcomeSentences(report: ImportReport): readonly string[] {
  const { outcome, importId = '', faultCount, sanity } = report;
  const refusing = sanity.filter(({ severity }) => severity === 'refused');
  switch (outcome) {
    case 'valid':
      return ['Nothing was written yet.'];
    case 'applied':
      return [`It is import ${importId}.`];
    case 'applied_before':
      return [`This file was applied for this date as import ${importId}. Nothing changed.`];
    case 'refused':
      return [
        'Nothing was written.',
        ...(faultCount > 0 ? [`The file has ${counted(faultCount, 'fault')}.`] : []),
        ...(refusing.length > 0
          ? [`It is unlikely in ${counted(refusing.length, 'way')}; see the checks.`]
          : []),
      ];
  }
}

function outcomeCommands(report: ImportReport): readonly string[] {
  const { outcome, importId = '', comparedTotals, withoutTotals, hasTotalsRow } = report;
  const revert = `cls-api imports revert ${importId} --apply`;
  if (outcome === 'applied') return [`To take it back: ${revert}`];
  // Also where a profile of the same name reads it otherwise by now.
  if (outcome === 'applied_before') return [`To read it anew, take it back first: ${revert}`];
  if (outcome !== 'valid') return [];
  const demands =
    'It then demands the sender’s totals: --rows and --control, or --without-totals with a reason.';
  const names = comparedTotals.map(({ name }) => name);
  const hasSums = names.some((name) => name !== 'rows');
  const isCompared = hasSums && (hasTotalsRow || names.includes('rows'));
  const hasTotals = isCompared || withoutTotals !== undefined;
  return ['To write it, give --apply.', ...(hasTotals ? [] : [demands])];
}

function changesSection({ outcome, changes, asOf }: ImportReport): Section | undefined {
  if (asOf === undefined || outcome === 'applied_before') return undefined;
  const title = outcome === 'applied' ? 'What changed' : 'What would change';
  if (changes.length === 0) {
    return outcome === 'refused' ? undefined : { title, sentences: ['Nothing.'] };
  }
  const rows = changes.map((kind) => {
    const [words, rule] = CHANGE_WORDS[kind.kind];
    return [words, grouped(`${kind.loans}`), firstOf(kind), rule];
  });
  const columns = ['Change', 'Loans', 'First of them', 'In the book'];
  return { title, sentences: [], table: { columns, numbers: ['Loans'], rows } };
}

function firstOf({ kind, changes, loans }: ChangesByKind): string {
  const first = changes.slice(0, FIRST_SHOWN).map((change) => changeText(kind, change));
  return `${first.join('; ')}${loans > first.length ? '; …' : ''}`;
}

function changeText(kind: ChangeKind, change: ChangesByKind['changes'][number]): string {
  const { loan, field, before, after } = change;
  if (kind === 'new_loan') return loan;
  if (kind === 'vanished') return `${loan} ${grouped(before)}${field === 'due' ? '' : ' undrawn'}`;
  if (kind === 'transferred') return `${loan} ${grouped(after)}`;
  const shown = (value: string) => {
    if (field === 'allInRate') return value === '' ? '' : `${percentOf(value)} %`;
    return AMOUNT.test(value) ? grouped(value) : value;
  };
  const [was, is] = [before, after].map((value) => shown(value) || 'nothing');
  return `${field === 'due' ? loan : `${loan} ${FIELD_WORDS[field] ?? field}`} ${was} → ${is}`;
}

const AMOUNT = /^-?\d+(\.\d{1,4})?$/;
