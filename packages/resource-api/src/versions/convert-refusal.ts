import { Refusal } from '@cls/shared/http/refusal';
import type { Exchange, OperationKey, Release } from '../lifecycle/release.ts';

/**
 * A refusal as an older version says it: the changes go down over its problem document too.
 *
 * @param later the releases after the version, oldest first.
 */
export function convertRefusal(
  error: Refusal,
  operation: OperationKey,
  query: string,
  later: readonly Release[],
): Refusal {
  const { status, headers = {}, extensions, ...members } = error.details;
  const exchange: Exchange = {
    operation,
    query: new URLSearchParams(query),
    status,
    headers: { ...headers },
    body: { ...members, ...extensions },
  };
  for (const change of later.flatMap(({ changes }) => changes).toReversed()) {
    change.down?.(exchange);
  }
  const { code, title, detail, errors, ...others } = exchange.body;
  return new Refusal(
    {
      status: exchange.status,
      code: `${code}`,
      title: `${title}`,
      detail: `${detail}`,
      ...(errors === undefined ? {} : { errors: errors as NonNullable<typeof members.errors> }),
      headers: exchange.headers,
      extensions: others,
    },
    { cause: error },
  );
}
