import { Refusal, type RefusalDetails } from '@cls/shared/http/refusal';
import type { OperationKey, Release } from '../lifecycle/release.ts';
import type { ApiVersion } from './api-version.ts';
import { goneDown } from './conversion.ts';
import { projector } from './project.ts';

/**
 * A refusal as an older version says it: the changes go down over its problem document too, and
 * what the version's contract does not declare is left out.
 *
 * @param later the releases after the version, oldest first.
 */
export function convertRefusal(
  error: Refusal,
  { id, contract }: ApiVersion,
  { operation, query }: { readonly operation: OperationKey; readonly query: string },
  later: readonly Release[],
): Refusal {
  const { status, headers = {}, extensions, ...members } = error.details;
  const changes = later.flatMap((release) => release.changes).toReversed();
  const answer = { status, headers, body: { ...members, ...extensions } };
  const exchange = goneDown({ operation, changes }, new URLSearchParams(query), answer);
  const project = projector(contract, { from: later.at(-1)?.id ?? id, to: id });
  const kept = project({ $ref: '#/components/schemas/Problem' }, exchange.body);
  const { code, title, detail, errors, status: _, ...others } = kept as ProblemMembers;
  return new Refusal(
    {
      status: exchange.status,
      code,
      title,
      detail,
      ...(errors === undefined ? {} : { errors }),
      headers: exchange.headers,
      extensions: others,
    },
    { cause: error },
  );
}

type ProblemMembers = Pick<RefusalDetails, 'code' | 'title' | 'detail' | 'errors'> &
  Readonly<Record<string, unknown>>;
