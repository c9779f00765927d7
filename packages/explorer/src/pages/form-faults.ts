import { type Html, html } from '@cls/shared/http/html';
import type { Locale } from '@cls/shared/pages/browser';
import type { MessageValues } from '@cls/shared/pages/i18n';
import { ApiRefused } from '../balances/api-client.ts';
import { readableAmount } from '../web/amounts.ts';
import { countryCodes, plain } from '../web/countries.ts';
import type { MessageKey, Text } from '../web/text.ts';
import { fieldsOf, readAmount, readInstant } from '../web/typed.ts';

/** What a person wrote into a field that cannot be used, and the sentence that says what can. */
interface Fault {
  readonly typed: readonly string[];
  readonly sentence: MessageKey;
}
/** By the name that the field has in the address of the page. */
export type Faults = ReadonlyMap<string, Fault>;

/** By the field of a form: the parameter that it is written for. */
const AMOUNTS = { least: 'minOutstanding', most: 'maxOutstanding' } as const;
/** By the parameter: the fields of its day and of its time. */
const INSTANTS = {
  knownAt: ['knownDay', 'knownTime'],
  cmpKnownAt: ['cmpKnownDay', 'cmpKnownTime'],
  since: ['sinceDay', 'sinceTime'],
} as const;
type Instant = keyof typeof INSTANTS;

/** People write names of countries, too. */
const CODES: Readonly<Record<string, (written: string) => string>> = {
  currency: (written) => written.toUpperCase(),
  country: (written) => countryCodes().get(plain(written)) ?? written.toUpperCase(),
};

/** As the fields of forms are called, so that a form can leave its own out of what it keeps. */
export const TYPED_FIELDS: readonly string[] = [
  ...Object.keys(AMOUNTS),
  ...Object.values(INSTANTS).flat(),
];

const SENTENCES: Readonly<Record<string, MessageKey>> = {
  ...{ minOutstanding: 'fault.amount', maxOutstanding: 'fault.amount' },
  ...{ currency: 'fault.currency', country: 'fault.country', status: 'fault.choice' },
  daysPastDue: 'fault.choice',
  ...{ maturityFrom: 'fault.date', maturityTo: 'fault.date', fromDate: 'fault.date' },
  ...{
    asOf: 'fault.date',
    cmpAsOf: 'fault.date',
    cmpKnownAt: 'fault.instant',
    since: 'fault.instant',
  },
  ...{ knownAt: 'fault.instant', q: 'fault.search' },
};
/** Where the API says more than that a value is not valid. */
const BY_CODE: Readonly<Record<string, MessageKey>> = {
  contradictory: 'fault.order',
  currency_required: 'fault.currencyMissing',
  invalid_range: 'fault.period',
  from_before_book: 'fault.beforeBook',
  as_of_in_future: 'fault.future',
  known_at_in_future: 'fault.future',
  as_of_before_book: 'fault.beforeBook',
  known_at_before_book: 'fault.knownBefore',
};
/** As the API calls what a page calls otherwise. */
const PAGE_NAMES: Readonly<Record<string, string>> = {
  compareAsOf: 'cmpAsOf',
  compareKnownAt: 'cmpKnownAt',
  updatedSince: 'since',
};

export interface Typed {
  /** With parameters in the place of fields; without those at fault. */
  readonly query: URLSearchParams;
  readonly faults: Faults;
  /** Whether there was anything to read: the page has an address of its own then. */
  readonly isNew: boolean;
}

/** Reads what forms send as people write it. */
export function readTyped(sent: URLSearchParams, locale: Locale): Typed {
  const query = new URLSearchParams(sent);
  const faults = new Map<string, Fault>();
  const set = (name: string, value: string | undefined, typed: readonly string[]) => {
    query.delete(name);
    if (value !== undefined) query.set(name, value);
    else if (typed.some((one) => one !== '')) {
      faults.set(name, { typed, sentence: sentenceFor(name, typed) });
    }
  };
  for (const [field, name] of Object.entries(AMOUNTS)) {
    const typed = sent.get(field);
    if (typed !== null) set(name, readAmount(typed, locale), [typed]);
  }
  for (const [name, fields] of Object.entries(INSTANTS)) {
    if (!fields.some((field) => sent.has(field))) continue;
    const [day = '', time = ''] = fields.map((field) => sent.get(field)?.trim() ?? '');
    const exact = sent.get(name) ?? '';
    set(name, readInstant(day, time, exact), [day, time]);
    if (faults.has(name)) query.set(name, exact);
  }
  for (const [name, codeOf] of Object.entries(CODES)) {
    const written = sent.get(name) ?? '';
    const code = codeOf(written.trim());
    if (code !== written) query.set(name, code);
  }
  for (const field of TYPED_FIELDS) query.delete(field);
  return { query, faults, isNew: `${query}` !== `${sent}` };
}

function sentenceFor(name: string, [typed = '']: readonly string[]): MessageKey {
  const isTwoAmounts = /^[-−]?\d{1,3}[.,]\d{3}$/.test(typed.trim());
  if (SENTENCES[name] === 'fault.amount' && isTwoAmounts) return 'fault.twoAmounts';
  return SENTENCES[name] ?? 'fault.choice';
}

/** What the API refuses of the fields of forms; undefined where more is at fault than these. */
export function faultsIn(
  error: unknown,
  query: URLSearchParams,
  locale: Locale,
): Faults | undefined {
  if (!(error instanceof ApiRefused) || error.status !== 400 || error.faults.length === 0) {
    return undefined;
  }
  const faults = new Map<string, Fault>();
  for (const { parameter, code } of error.faults) {
    const name = PAGE_NAMES[parameter] ?? parameter;
    const typed = query.getAll(name);
    const usual = SENTENCES[name];
    // What the address does not have was taken from what it has.
    if (typed.length === 0) continue;
    if (usual === undefined) return undefined;
    faults.set(name, {
      typed: typed.flatMap((value) => asTyped(name, value, locale)),
      sentence: BY_CODE[code] ?? usual,
    });
  }
  return faults.size === 0 ? undefined : faults;
}

/** A parameter of the address as the fields of its form show it. */
function asTyped(name: string, value: string, locale: Locale): readonly string[] {
  if (Object.values(AMOUNTS).some((one) => one === name)) return [amountShown(value, locale)];
  if (!Object.hasOwn(INSTANTS, name)) return [value];
  const { day, time } = fieldsOf(value);
  return [day, time];
}

/** As a form can read it again. What is no amount is shown as it stands in the address. */
export function amountShown(value: string, locale: Locale): string {
  if (!/^-?\d+(\.\d+)?$/.test(value)) return value;
  const shown = readableAmount(value, locale);
  return readAmount(shown, locale) === undefined ? `${shown}0` : shown;
}

/** Attributes of a field, and the sentence beside it where the person has to write it anew. */
export interface Field {
  readonly value: string;
  readonly attributes: Html;
  readonly sentence: Html | undefined;
}

/**
 * @param shown what the field shows of the address.
 * @param part of the fields of one parameter.
 * @param values what its sentences name.
 */
export function fieldOf(
  faults: Faults,
  name: string,
  shown: string,
  text: Text,
  { part = 0, values = {} }: { part?: number; values?: MessageValues } = {},
): Field {
  const fault = faults.get(name);
  if (fault === undefined) return { value: shown, attributes: html``, sentence: undefined };
  const id = `fault-${name}`;
  const isFirst = faults.keys().next().value === name && part === 0;
  return {
    value: fault.typed[part] ?? '',
    attributes: html` aria-invalid="true" aria-describedby="${id}"${isFirst && html` autofocus`}`,
    sentence: html`<strong class="fault" id="${id}">${text.t(fault.sentence, values)}</strong>`,
  };
}

/** The day and the time of an instant, side by side; the exact one goes along with them. */
export function instantFields(
  faults: Faults,
  name: Instant,
  exact: string,
  text: Text,
  label: MessageKey,
): Html {
  const shown = fieldsOf(exact);
  const [day, time] = [
    fieldOf(faults, name, shown.day, text),
    fieldOf(faults, name, shown.time, text, { part: 1 }),
  ];
  const [dayField, timeField] = INSTANTS[name];
  return html`<fieldset class="instant"><legend>${text.t(label)}</legend>${exact !== '' && html`<input type="hidden" name="${name}" value="${exact}">`}<label><span class="unseen">${text.t('time.day')}</span><input type="date" name="${dayField}" value="${day.value}"${day.attributes}></label> <label><span class="unseen">${text.t('time.time')}</span><input type="time" step="1" name="${timeField}" value="${time.value}"${time.attributes}></label> ${day.sentence}</fieldset>`;
}
