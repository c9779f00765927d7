import { Document, isMap, isScalar, type Pair, visit } from 'yaml';
import type { ProfileDraft } from './draft.ts';
import type { Inspection } from './inspection.ts';

/** The proposed profile as YAML: each decision with its reason, and open questions that begin with `?`. */
export function writeProfile(draft: ProfileDraft, { file, rows, questions }: Inspection): string {
  const document = new Document(draft.document);
  const state =
    questions.length === 0
      ? 'Nothing is open.'
      : `${questions.length} values begin with “?”: the file does not decide them. Answer each before you import.`;
  document.commentBefore = ` Proposed for ${file} (${rows} rows). ${state}`;
  for (const [path, comment] of draft.comments) {
    const key = keyAt(document, path.split('\n'));
    if (key !== undefined) key.commentBefore = comment.replace(/^/gm, ' ');
  }
  visit(document, {
    Seq(_, list) {
      list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function keyAt(document: Document, path: readonly string[]) {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }: Pair) => isScalar(key) && key.value === path.at(-1));
  return pair !== undefined && isScalar(pair.key) ? pair.key : undefined;
}
