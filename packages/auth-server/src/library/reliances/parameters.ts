import type { Provider } from 'oidc-provider';

/** Parameters of a request of the protocol, as the library has read them; without empty ones. */
export type Parameters = Record<string, unknown>;

/** Lets `adjust` change what a request says before the library looks at it, at each endpoint. */
export function adjustParameters(provider: Provider, adjust: (params: Parameters) => void): void {
  const { OIDCContext } = provider;
  const kept = new WeakMap<object, Parameters>();
  Object.defineProperty(OIDCContext.prototype, 'params', {
    configurable: true,
    get(this: object) {
      return kept.get(this);
    },
    set(this: object, params: Parameters) {
      adjust(params);
      kept.set(this, params);
    },
  });
}
