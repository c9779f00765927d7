import { type Html, html, trustedMarkup } from '@cls/shared/http/html';
import type { DescribedOperation, Parameter } from './contract-reader.ts';
import { codeBlock } from './page.ts';
import { FIRST_VALUES, firstQuery } from './postman.ts';

/**
 * The command that asks the operation, and a form for the same where it only reads. The script shows the
 * form: without one it would do nothing.
 */
export function tryIt(operation: DescribedOperation, apiUrl: string): Html {
  const { method } = operation;
  return html`<h2 id="try-it">Try it</h2>
<p>Replace <code>$TOKEN</code> by an access token of your own (<a href="/docs/tokens">how to get one</a>).</p>
${codeBlock(curlCommand(operation, apiUrl), '', ' id="try-command"')}
${method === 'GET' && tryForm(operation, apiUrl)}`;
}

function tryForm(
  { method, path, parameters, responses }: DescribedOperation,
  apiUrl: string,
): Html {
  const types = Object.keys(responses.find(([status]) => status === '200')?.[1].content ?? {});
  return html`<form id="try-form" hidden data-path="${new URL(apiUrl).pathname}${path}" data-method="${method}" data-url="${apiUrl}${path}">
<p>Your token stays in the memory of this page. It is sent to this host alone, and forgotten when you leave.</p>
<p><label for="try-token">Access token</label> <input id="try-token" type="password" autocomplete="off" spellcheck="false"></p>
${types.length > 1 && html`<p><label for="try-accept">Form of the answer</label> <select id="try-accept">${types.map((type) => html`<option>${type}</option>`)}</select></p>`}
<details><summary>Parameters</summary>
${parameters.map(parameterInput)}</details>
<p><button type="submit">Send</button></p>
<div id="try-answer" role="status" aria-live="polite"></div>
</form>
`;
}

function curlCommand(operation: DescribedOperation, apiUrl: string): string {
  const { method, path, parameters, bodyTypes } = operation;
  const [type] = bodyTypes;
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $TOKEN"`,
    ...parameters.flatMap((one) => (one.in === 'header' ? [`-H '${one.name}: …'`] : [])),
    ...(type === undefined ? [] : [`-H 'Content-Type: ${type}' --data-binary @FILE`]),
    `'${apiUrl}${path}${firstQuery(parameters)}'`,
  ].join(' \\\n  ');
}

function parameterInput({ name, in: place, schema }: Parameter): Html {
  const id = `parameter-${name}`;
  const { type, enum: values } = schema;
  const options = type === 'boolean' ? ['true', 'false'] : values;
  const attributes = html`id="${id}" name="${name}" data-in="${place}"`;
  const first = FIRST_VALUES[name] ?? '';
  return html`<p><label for="${id}"><code>${name}</code></label> ${
    options === undefined
      ? html`<input ${attributes} autocomplete="off" spellcheck="false" value="${first}"${type === 'integer' && trustedMarkup(' inputmode="numeric"')}>`
      : html`<select ${attributes}><option value=""></option>${options.map((value) => html`<option>${String(value)}</option>`)}</select>`
  }</p>
`;
}
