import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';

type Check = (ctx: KoaContextWithOIDC, value: string | undefined) => void;

/**
 * Checks of parameters that the library knows already, by its way to add parameters of one's own.
 * They run before anybody signs in, whether the parameter was sent or not.
 *
 * @param checks each throws an error of the protocol, which is the answer.
 */
export function checkParameters(
  checks: Readonly<Record<string, Check>>,
): NonNullable<Configuration['extraParams']> {
  return { ...checks };
}
