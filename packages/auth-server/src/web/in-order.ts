import type { Middleware } from 'koa';

/** Combines middlewares into one; each wraps those after it. */
export function inOrder(...middlewares: readonly Middleware[]): Middleware {
  return (ctx, next) => {
    const from = async (index: number): Promise<unknown> =>
      index === middlewares.length ? next() : middlewares[index]?.(ctx, () => from(index + 1));
    return from(0);
  };
}
