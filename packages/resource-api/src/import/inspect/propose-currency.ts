import { isAmount } from '../profile/fields.ts';
import type { Dictionary } from './dictionary.ts';
import { isCurrency } from './kinds.ts';
import type { Proposal } from './proposal.ts';

export function proposeCurrency({ columns, found, find, draft }: Proposal): void {
  const named = find('currency')?.evidence;
  const path = ['currency'];
  if (named !== undefined) {
    const { header, empty, distinct } = named;
    if (empty > 0) {
      draft.ask(path, `the currency of the ${empty} rows whose “${header}” is empty, such as USD`);
    }
    if (distinct > 1 || /commitment|agreement/i.test(header)) {
      const amounts = `amounts, if “${header}” is the currency of the row’s amounts`;
      const loan = 'loan, if all amounts are in one currency, and name that as currency';
      draft.ask(['currencyColumn'], `${amounts}; or ${loan}`);
    }
    return;
  }
  const headers = amountHeaders({ columns });
  const codes = new Set(headers.map(codeIn));
  const [code] = codes;
  const marks = Object.values((draft.document['currencyMarks'] ?? {}) as Record<string, string>);
  const [mark] = marks;
  const byValues = columns.filter(({ kind, field }) => kind === 'currency' && field === undefined);
  const names = byValues.map(({ evidence }) => `“${evidence.header}”`).join(' or ');
  if (codes.size === 1 && code !== undefined) draft.set(path, code, `because of “${headers[0]}”`);
  else if (mark !== undefined && marks.length === 1 && !mark.startsWith('?')) {
    draft.set(path, mark, 'because of the marks beside amounts');
  } else if (names !== '') {
    const move = `move ${names} to columns.currency if it is that of the amounts`;
    draft.ask(path, `${move}; or a code such as USD`);
  } else {
    const title = found.preamble.map(({ text }) => codeIn(text)).find((each) => each !== undefined);
    draft.ask(path, `${title ?? 'a code such as USD'}: no column has the currency`);
  }
}

function amountHeaders({ columns }: Pick<Proposal, 'columns'>): readonly string[] {
  return columns.flatMap(({ field, evidence }) => (isAmount(field) ? [evidence.header] : []));
}

/** A currency code in capitals: by itself, and in brackets where all is in capitals: ALL is one. */
function codeIn(text: string): string | undefined {
  const place = text === text.toUpperCase() ? '(?<=[([]\\s*|\\bIN )' : '(?<![\\p{L}\\p{N}])';
  const word = new RegExp(`${place}(?:US\\$|T?[A-Z]{3}|€)(?![\\p{L}\\p{N}])`, 'gu');
  const codes = (text.match(word) ?? []).flatMap((found) => {
    const code = { US$: 'USD', '€': 'EUR' }[found] ?? found.slice(-3);
    return isCurrency(code) ? [code] : [];
  });
  return new Set(codes).size === 1 ? codes[0] : undefined;
}

/** Writes `amountsIn` where a header, a title or the file's name says thousands or millions. */
export function proposeUnit({ file, columns, found, dictionary, draft }: Proposal): void {
  const headers = amountHeaders({ columns });
  const units = new Set(headers.map((header) => unitIn(header, dictionary)));
  const [unit] = units;
  if (units.size === 1 && unit !== undefined) {
    draft.set(['amountsIn'], unit, `because of “${headers[0]}”`);
    return;
  }
  const texts = [...headers, ...found.preamble.map(({ text }) => text), file];
  const said = texts.find((text) => unitIn(text, dictionary) !== undefined);
  if (said === undefined) return;
  const question = `“${said}” says so; is it so for all amounts?`;
  draft.ask(['amountsIn'], `${unitIn(said, dictionary)} or 1: ${question}`);
}

function unitIn(text: string, { thousands, millions }: Dictionary): number | undefined {
  // `000` alone is part of a number.
  if (/\d,000/.test(text)) return undefined;
  const words = text.toLowerCase().split(/[^\p{L}\p{N}€$']+/u);
  const all = [...words, ...words.map((word, at) => `${words[at - 1] ?? ''} ${word}`)];
  if (all.some((word) => thousands.has(word))) return 1_000;
  return all.some((word) => millions.has(word)) ? 1_000_000 : undefined;
}
