import type { ValuesRequest } from '../balances/balance-store.ts';
import { LEVEL_SQL } from './balance-levels.ts';
import { BY_INDEX, Parameters, type Statement } from './balance-statements.ts';
import { conditions } from './filter-sql.ts';
import { sortValue } from './sort-sql.ts';

/**
 * The values of up to `most` + 1 items of a filter.
 *
 * @param deals the only ones that may have items of the filter, by their keys
 */
export function valuesStatement(
  request: ValuesRequest,
  most: number,
  deals?: readonly bigint[],
): Statement {
  const { level, snapshot } = request;
  const parameters = new Parameters(snapshot);
  const where = conditions(request, parameters, deals);
  const text = `
    SELECT i.key, f.currency, (${sortValue(level, request.by)})::bigint AS value
    FROM ${LEVEL_SQL[level].items}
    WHERE ${where.join('\n      AND ')}
    LIMIT ${parameters.add(most + 1)}`;
  const planning = deals === undefined ? {} : { planning: BY_INDEX };
  return { sql: text, parameters: parameters.values, ...planning };
}
