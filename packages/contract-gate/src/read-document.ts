import { parseDocument } from 'yaml';
import { ContractInvalid } from './document.ts';

/**
 * The value of a JSON or YAML text.
 *
 * @throws {ContractInvalid} with the first fault and its line.
 */
export function readDocument(text: string): unknown {
  const json = /^\s*\{/.test(text) ? parseJson(text) : undefined;
  if (json !== undefined) return json;
  try {
    const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true });
    const [fault] = document.errors;
    if (fault !== undefined) throw new ContractInvalid(`not readable as YAML: ${firstLine(fault)}`);
    return document.toJS({ maxAliasCount: 1000 });
  } catch (error) {
    if (error instanceof ContractInvalid) throw error;
    const tooDeep = error instanceof RangeError;
    throw new ContractInvalid(
      tooDeep
        ? 'not readable as YAML: nested too deep'
        : `not readable as YAML: ${firstLine(error)}`,
    );
  }
}

/** JSON is YAML too, but its own parser is faster and says more. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function firstLine(error: unknown): string {
  return `${error instanceof Error ? error.message : error}`.split('\n')[0] ?? '';
}
