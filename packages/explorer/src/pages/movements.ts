import { type Html, html } from '@cls/shared/http/html';
import {
  type Deal,
  type List,
  MOVEMENT_OF,
  type Movement,
  type RollForwardItem,
} from '../balances/shapes.ts';
import type { Sealer } from '../crypto/seal.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import { sumOf } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { amountCell, dateCell, instantText, table, wordOf } from './cells.ts';
import { dealHead, dealTitle } from './deal.ts';
import { pager } from './deals.ts';
import { absent, dealAt } from './not-yet.ts';
import { periodForm } from './roll-forward.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import type { Visit } from './visit.ts';

/** Per currency. */
type Balances = Readonly<Record<string, string>>;

/**
 * `/deals/{id}/movements`: postings of principal in the order in which they were posted, each with
 * the balance after it. That balance is the ledger's: what is hidden on the page counts all the same.
 */
export async function movementsPage(
  deps: PageDeps & { readonly sealer: Sealer },
  visit: Visit,
): Promise<void> {
  const { asker, parts, query } = visit;
  const dealId = parts['id'] ?? '';
  const fromDate = query.get('fromDate') ?? undefined;
  const cursor = query.get('cursor') ?? undefined;
  const asked = { ...timesAsked(visit), dealId, fromDate };
  // Few of them are shown: more are looked through at once.
  const limit = chosen(query).only && '1000';
  const [deals, list, who, deal] = await Promise.all([
    deps.api.read<List<RollForwardItem>>(asker, '/balances/principal', {
      ...asked,
      level: 'deal',
      includeZero: 'true',
      include: 'none',
    }),
    deps.api.read<List<Movement>>(asker, '/balances/principal/movements', {
      ...asked,
      cursor,
      limit,
    }),
    whoAsks(deps, visit),
    dealAt(deps, visit, dealId, visit.times),
  ]);
  const [first] = deals.data;
  if (first === undefined) return absent(deps, visit, dealId);
  const opening = Object.fromEntries(
    deals.data.map((deal) => [deal.currency, deal.global.opening]),
  );
  const before = cursor === undefined ? opening : carriedFrom(deps.sealer, query, cursor);
  const rows = running(list.data, before);
  const after = rows.at(-1)?.balances ?? before;
  const { nextCursor } = list.page;
  const carried =
    after === undefined || typeof nextCursor !== 'string'
      ? undefined
      : deps.sealer.seal(JSON.stringify(after), contextOf(nextCursor));
  showPage(deps, visit, {
    title: () => dealTitle(first.deal),
    detail: (text) => text.t('movements.title'),
    place: 'deals',
    who,
    meta: list.meta,
    begins: deal?.dataFrom,
    answers: [list],
    body: (text) => [
      deal && dealHead(visit, deal, 'movements', text),
      periodForm(visit, list.meta.dataFrom, text),
      toggles(visit, text),
      rows.length === 0
        ? html`<p class="notice empty">${text.t('movements.none')}</p>`
        : movementsTable(visit, rows, facilitiesOf(deal), text),
      pager(visit, list, text, { carried }),
      html`<p class="downloads">${text.t('download.label')} <a href="${pageAddress(`/deals/${dealId}/movements.csv`, query, { fromDate })}">CSV</a></p>`,
    ],
  });
}

interface Row {
  readonly movement: Movement;
  /** After it; undefined where it is not known. */
  readonly balances: Balances | undefined;
}

/** A lender's leg is a part of a global one: the global ones alone are the deal's balance. */
function running(movements: readonly Movement[], before: Balances | undefined): readonly Row[] {
  let balances = before;
  return movements.map((movement) => {
    const { lender, currency, amount } = movement;
    if (lender === null && balances !== undefined) {
      const was = balances[currency];
      const now = sumOf(was === undefined ? [amount] : [was, amount]);
      balances = now === undefined ? balances : { ...balances, [currency]: now };
    }
    return { movement, balances };
  });
}

/**
 * The balance after the page before. It is sealed and bound to its cursor: an address that
 * somebody made up must not put a number on the page.
 */
function carriedFrom(sealer: Sealer, query: URLSearchParams, cursor: string): Balances | undefined {
  const text = sealer.open(query.get('carried') ?? '', contextOf(cursor));
  return text === undefined ? undefined : (JSON.parse(text) as Balances);
}

function contextOf(cursor: string): string {
  return `carried:${cursor}`;
}

function toggles({ ctx, query }: Visit, text: Text): Html {
  const toggle = (name: 'lenders' | 'reversed', shown: 'yes' | 'no', label: string) => {
    const on = query.get(name) === shown;
    const href = sameWith(ctx.path, query, { [name]: on ? undefined : shown });
    return html`<li><a href="${href}"${on && html` aria-current="true"`}>${label}</a></li>`;
  };
  const { only } = chosen(query);
  const all = sameWith(ctx.path, query, { movement: undefined });
  const what = only && text.t('movements.only', { what: wordOf('movement', only, text) });
  return html`<ul class="presets">${what !== undefined && html`<li><a href="${all}" aria-current="true">${what}</a></li>`}${toggle('lenders', 'yes', text.t('movements.showLenders'))}${toggle('reversed', 'no', text.t('movements.hideReversed'))}</ul>`;
}

/** Which postings the page shows. */
function chosen(query: URLSearchParams) {
  return {
    withLenders: query.get('lenders') === 'yes',
    withReversed: query.get('reversed') !== 'no',
    only: Object.values(MOVEMENT_OF).find((name) => name === query.get('movement')),
  };
}

/** Names of the facilities by id; none where the deal has one alone, which needs no name. */
function facilitiesOf(deal: Deal | undefined): ReadonlyMap<string, string> {
  const all = (deal?.facilities ?? []).flatMap(({ facility }) => facility ?? []);
  return new Map(all.length < 2 ? [] : all.map(({ id, name }) => [id, name]));
}

/** Journals of a page that others of it take back: not where a reversal was taken back itself. */
function takenBack(rows: readonly Row[]): ReadonlySet<string> {
  const journals = rows.map(({ movement: { journal } }) => journal);
  const reversals = new Map(journals.map(({ id, reverses }) => [reverses, id]));
  const stands = (id: string): boolean => {
    const reversal = reversals.get(id);
    return reversal === undefined || !stands(reversal);
  };
  return new Set(journals.flatMap(({ id }) => (stands(id) ? [] : [id])));
}

function movementsTable(
  { query }: Visit,
  rows: readonly Row[],
  facilities: ReadonlyMap<string, string>,
  text: Text,
): Html {
  const { withLenders, withReversed, only } = chosen(query);
  const reversed = takenBack(rows);
  const isPair = ({ journal: { id, reverses } }: Movement) =>
    reversed.has(id) || (reverses !== null && reversed.has(reverses));
  const shown = rows.filter(
    ({ movement }) =>
      (withLenders || movement.lender === null) &&
      (withReversed || !isPair(movement)) &&
      (only === undefined || movement.movement === only),
  );
  if (shown.length === 0 && only !== undefined) {
    return html`<p class="notice empty">${text.t('movements.noneHere')}</p>`;
  }
  const columns = [
    { label: text.t('column.effective') },
    { label: text.t('column.posted') },
    { label: text.t('column.movement') },
    ...(withLenders ? [{ label: text.t('column.lender') }] : []),
    ...(facilities.size > 0 ? [{ label: text.t('column.facility') }] : []),
    { label: text.t('column.contract') },
    { label: text.t('column.currency') },
    { label: text.t('column.amount'), numeric: true },
    { label: text.t('column.balance'), numeric: true },
    { label: text.t('column.journal') },
  ];
  // A link to a journal leads to its first posting.
  const first = new Map(shown.toReversed().map(({ movement }) => [movement.journal.id, movement]));
  const body = shown.map(({ movement, balances }) => {
    const { journal, lender, facilityId, contract, currency, amount } = movement;
    return html`
<tr${first.get(journal.id) === movement && html` id="${journal.id}"`}${reversed.has(journal.id) && html` class="reversed"`}>${dateCell(text.date(movement.effectiveDate))}${dateCell(instantText(movement.postedAt, text))}<td>${postingWords(movement, text)}</td>${withLenders && html`<td>${lender?.name ?? text.t('deal.global')}</td>`}${facilities.size > 0 && html`<td>${facilities.get(facilityId)}</td>`}<td>${contract?.contractNumber}</td><td>${currency}</td>${amountCell(amount, text)}${amountCell(lender === null ? balances?.[currency] : undefined, text)}<td>${journalCell(movement, reversed, text)}</td></tr>`;
  });
  const caption = text.t('movements.caption');
  return table({ caption, columns, rows: body, id: 'movements' });
}

function journalCell({ journal }: Movement, reversed: ReadonlySet<string>, text: Text): Html {
  const { id, reverses, corrects } = journal;
  return html`<code>${id}</code>${reverses !== null && html` <span class="tag">${text.t('movements.reverses', { id: reverses })}</span>`}${corrects !== null && html` <span class="tag">${text.t('movements.corrects', { id: corrects })}</span>`}${reversed.has(id) && html` <span class="tag">${text.t('movements.reversed')}</span>`}`;
}

/** The kind of a posting, with its reason and its author where the API names them. @param note behind the kind */
export function postingWords(posting: Movement, text: Text, note = ''): string {
  const { movement, journal, postedBy } = posting;
  const reason = journal.reason === null ? '' : `: ${journal.reason}`;
  const by = postedBy === null ? '' : ` (${postedBy})`;
  return `${wordOf('movement', movement, text)}${note}${reason}${by}`;
}
