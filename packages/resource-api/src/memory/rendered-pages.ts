import type { Memories } from './memories.ts';

/** What is at a path, made again when its state has changed. */
export type RenderedPages = <T extends object>(path: string, state: string, make: () => T) => T;

export function renderedPages(memories: Memories): RenderedPages {
  const pages = memories.open<string, { readonly state: string; readonly page: object }>(
    'documentation',
  );
  return <T extends object>(path: string, state: string, make: () => T) => {
    const cached = pages.get(path);
    const isCurrent = cached?.state === state;
    pages.count(isCurrent);
    if (isCurrent) return cached.page as T;
    const page = make();
    pages.set(path, { state, page });
    return page;
  };
}
