/** The OpenID provider's library, as the rest of this service sees it. */
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
