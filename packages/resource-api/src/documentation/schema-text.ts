import { type Html, html } from '@cls/shared/http/html';
import type { JsonSchema } from '../versions/openapi.ts';
import { refName } from './contract-reader.ts';
import { joined, prose } from './page.ts';

/** A member of an object, or of an object within it: `commitment.original`. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Such as `required`. */
  readonly note?: string;
}

/** The members of an object, each before the members within it. */
export function fieldsOf({ properties = {}, required = [] }: JsonSchema, within = ''): Field[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${within}${key}`;
    const isAlwaysThere = required.includes(key);
    const field = { name, schema, ...(isAlwaysThere ? {} : { note: 'not always there' }) };
    return [field, ...innerFields(schema, name)];
  });
}

function innerFields(schema: JsonSchema, name: string): Field[] {
  if (schema.properties !== undefined) return fieldsOf(schema, `${name}.`);
  if (schema.items?.properties !== undefined) return fieldsOf(schema.items, `${name}[].`);
  const [only] = schema.oneOf?.filter(({ type }) => type !== 'null') ?? [];
  return only?.properties === undefined ? [] : fieldsOf(only, `${name}.`);
}

/** Fields or parameters with what they are. @param fieldsPath where named schemas are explained. */
export function fieldList(fields: readonly Field[], fieldsPath: string): Html {
  return html`<dl class="fields">${fields.map(
    ({ name, schema, note }) =>
      html`<div><dt><code>${name}</code> <span class="type">${typeOf(schema, fieldsPath)}${note !== undefined && `, ${note}`}</span></dt>
<dd>${schema.description !== undefined && prose(schema.description)}${valuesOf(schema)}</dd></div>
`,
  )}</dl>
`;
}

/** What a value is, in a few words. */
export function typeOf(schema: JsonSchema, fieldsPath: string): Html {
  const name = refName(schema);
  if (name !== undefined) return html`<a href="${fieldsPath}#${name}">${name}</a>`;
  if (schema.oneOf !== undefined) {
    return html`${joined(
      schema.oneOf.map((one) => typeOf(one, fieldsPath)),
      ' or ',
    )}`;
  }
  const [type = 'object', ...others] = [schema.type ?? []].flat();
  if (others.length > 0)
    return html`${typeOf({ ...schema, type }, fieldsPath)} or ${others.join(' or ')}`;
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items, fieldsPath)}`;
  if (schema.const !== undefined) return html`always <code>${String(schema.const)}</code>`;
  if (schema.enum !== undefined) return html`one of a list`;
  if (schema.format === 'date') return html`date`;
  if (schema.format === 'date-time') return html`instant`;
  const words = { string: 'text', integer: 'whole number', boolean: 'true or false' };
  return html`${words[type as keyof typeof words] ?? type}`;
}

/** Which values a schema takes, where these are few; its bounds and its default. */
export function valuesOf(schema: JsonSchema): Html {
  const one = schema.items ?? schema;
  const bounds = [
    one.minimum !== undefined && one.maximum !== undefined
      ? `From ${one.minimum} to ${one.maximum}.`
      : '',
    schema.maxItems === undefined ? '' : `At most ${schema.maxItems} values, separated by commas.`,
  ].join(' ');
  return html`${
    one.enum !== undefined &&
    html` <span class="values">Values: ${joined(one.enum.map((value) => html`<code>${String(value)}</code>`))}.</span>`
  } ${bounds.trim()}${
    one.default !== undefined && html` Default: <code>${String(one.default)}</code>.`
  }`;
}
