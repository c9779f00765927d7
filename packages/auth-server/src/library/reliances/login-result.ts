import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

/** The result of a sign-in that the library is given; its types leave ours out. */
export interface ProvenLogin {
  readonly accountId: string;
  readonly amr: readonly string[];
  readonly acr: string;
  readonly remember: boolean;
  /** Whole seconds since the epoch. Without it the library takes the time of a later consent. */
  readonly ts: number;
  /** The interaction: a consent that is asked for afterwards carries this result too. */
  readonly provenIn: string;
}

export type InteractionResult =
  | { readonly login: ProvenLogin }
  | { readonly consent: { readonly grantId: string } }
  | { readonly error: string; readonly error_description: string };

type Request = Pick<KoaContextWithOIDC, 'req' | 'res'>;

/** Hands the result of an interaction to the library. @returns where the browser goes on. */
export function giveResult(
  provider: Provider,
  { req, res }: Request,
  result: InteractionResult,
): Promise<string> {
  return provider.interactionResult(req, res, result as never, { mergeWithLastSubmission: true });
}

/**
 * The sign-in that this request has brought into the session; undefined for the request after a
 * consent, to which the library gives the result of the sign-in before it as well.
 */
export function loginBroughtBy(ctx: Partial<KoaContextWithOIDC>): ProvenLogin | undefined {
  const login = ctx.oidc?.result?.login as ProvenLogin | undefined;
  return login !== undefined && ctx.path?.endsWith(`/${login.provenIn}`) ? login : undefined;
}
