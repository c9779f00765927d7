import type { JsonSchema, OpenApiDocument } from '../../../src/versions/openapi.ts';
import { v1Contract } from '../../../src/versions/v1/contract.ts';

// biome-ignore lint/suspicious/noExplicitAny: a contract is edited as JSON.
type Json = any;

/** v1's contract with the six changes, and with one addition that is compatible. */
export function v2Contract(): OpenApiDocument {
  const contract: Json = structuredClone(v1Contract());
  contract.info.version = 'v2';
  contract.servers = [{ url: '/api/v2' }];
  delete contract.paths['/cls/balances/principal/movements'];
  const balances = contract.paths['/cls/balances'].get;
  const principal = contract.paths['/cls/balances/principal'].get;
  principal.security = [{ oauth2: ['external-api.fullcontrol'] }];
  principal['x-permission'].anyOf = ['external-api.fullcontrol'];
  delete principal['x-permission'].data['cls-deal.view'];
  const parameter = (operation: Json, name: string) =>
    operation.parameters.find((one: Json) => one.name === name);
  parameter(balances, 'level').required = true;
  delete parameter(balances, 'level').schema.default;
  for (const operation of [balances, principal]) {
    parameter(operation, 'limit').schema.maximum = 500;
  }
  for (const { get } of Object.values<Json>(contract.paths)) {
    if (get.responses['422'] === undefined) continue;
    get.responses['409'] = get.responses['422'];
    delete get.responses['422'];
  }
  const { schemas } = contract.components;
  for (const schema of Object.values(schemas)) withoutTotals(schema as Json);
  schemas.Balance.properties.currencyDigits = { type: 'integer' };
  schemas.BalanceFields.properties.currencyDigits = { type: 'integer' };
  const columns = balances.responses['200'].content['text/csv']['x-columns'];
  for (const level of Object.keys(columns)) columns[level] = v2Columns(columns[level]);
  return contract;
}

/** v1's columns without the total, and with the addition. */
export function v2Columns(columns: readonly string[]): readonly string[] {
  return [...columns.filter((name) => !name.includes('.total.')), 'currencyDigits'];
}

/** Lines of amounts lose their total. */
function withoutTotals(schema: Json): void {
  if (schema === null || typeof schema !== 'object') return;
  const { properties, required } = schema as JsonSchema;
  if (properties?.['commitment'] !== undefined && properties['total'] !== undefined) {
    delete schema.properties.total;
    if (required !== undefined) schema.required = required.filter((name) => name !== 'total');
  }
  for (const inner of Object.values(schema)) withoutTotals(inner);
}
