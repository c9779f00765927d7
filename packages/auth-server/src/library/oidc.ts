/** The OpenID provider's library, as the rest of this service sees it. */

import type { OIDCContext } from 'oidc-provider';

declare module 'koa' {
  interface DefaultContext {
    /** What the library knows of a request; undefined before it, and for requests that are not its own. */
    oidc?: OIDCContext;
  }
}

export {
  type Adapter,
  type AdapterPayload,
  type Client,
  type Configuration,
  type ErrorOut,
  errors,
  type Grant,
  type Interaction,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
  type RefreshToken,
  type ResourceServer,
  type Session,
} from 'oidc-provider';
