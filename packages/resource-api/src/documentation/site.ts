import type { Release } from '../lifecycle/release.ts';
import type { Cache, Page } from '../memory/memories.ts';
import type { ApiVersions } from '../versions/api-versions.ts';
import { brunoZip } from './bruno.ts';
import { ASSETS, type Content, readAsset, readContent } from './content.ts';
import { operationsOf } from './contract-reader.ts';
import { errorPage, errorsPage } from './error-pages.ts';
import { operationPage } from './operation-page.ts';
import { conceptsPage, contentPage, homePage, missingPage } from './overview-pages.ts';
import { type PageModel, page } from './page.ts';
import { postmanCollection } from './postman.ts';
import { type SearchSection, searchPage, sectionsOf } from './search.ts';
import {
  changesPage,
  endNotice,
  fieldsPage,
  operationMenu,
  statusTable,
  versionPage,
} from './version-pages.ts';

export interface Site {
  /** @param path below the deployment's base, such as `/docs/v1`. */
  find(path: string, now: Date): Page | undefined;
  /** The page that lists where the words of `query` stand. */
  search(query: string, now: Date): Buffer;
  /** What a browser gets where there is nothing. */
  missing(now: Date): Buffer;
}

export interface SiteDeps {
  readonly versions: ApiVersions;
  /** The base URL of the deployment. */
  readonly issuer: string;
  readonly pages: Cache<string, Page>;
  scope(permission: string): string;
}

const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

type Make = (now: Date) => { readonly type: string; readonly body: Buffer | string };

/**
 * Every address of the documentation. Nothing is read or made before it is asked for, and it is
 * made again when a version's status has changed.
 */
export function documentationSite(deps: SiteDeps): Site {
  const { registry } = deps.versions;
  const basePath = new URL(deps.issuer).pathname.replace(/\/$/, '');
  let content: Content | undefined;
  let makers: ReadonlyMap<string, Make> | undefined;
  const written = (model: PageModel, now: Date) =>
    below(basePath, page(registry.latest(now).id, model));
  const everything = () => {
    content ??= readContent();
    makers ??= makersOf(deps, content, written);
    return makers;
  };
  const find = (path: string, now: Date) => {
    const make = everything().get(path);
    if (make === undefined || !isReleased(deps.versions, path, now)) return undefined;
    return deps.pages.once(`${path} ${registry.period(now)}`, () => {
      const { type, body } = make(now);
      return { type, body: Buffer.from(body) };
    });
  };
  // Made of the pages themselves when somebody first searches, and again when a version's status has changed.
  let index: { readonly state: string; readonly sections: readonly SearchSection[] } | undefined;
  const sectionsAt = (now: Date) => {
    const state = registry.period(now);
    if (index?.state !== state) {
      const pages = [...everything().keys()].flatMap((path) => ({ path, page: find(path, now) }));
      const sections = pages.flatMap(({ path, page: one }) =>
        one?.type === HTML ? sectionsOf(path, one.body.toString()) : [],
      );
      index = { state, sections };
    }
    return index.sections;
  };
  return {
    find,
    search: (query, now) => Buffer.from(written(searchPage(query, sectionsAt(now)), now)),
    missing: (now) => Buffer.from(written(missingPage(), now)),
  };
}

/** Addresses of this site begin below the deployment's own path. */
function below(basePath: string, markup: string): string {
  if (basePath === '') return markup;
  return markup.replace(/ (href|src|action)="\//g, ` $1="${basePath}/`);
}

/** A version that is announced has no pages yet. */
function isReleased({ registry }: ApiVersions, path: string, now: Date): boolean {
  const id = /^\/docs\/(v\d+)(?:\/|$)/.exec(path)?.[1];
  return id === undefined || registry.resolve(id, now).kind !== 'unknown';
}

function makersOf(
  deps: SiteDeps,
  content: Content,
  written: (model: PageModel, now: Date) => string,
): ReadonlyMap<string, Make> {
  const { registry } = deps.versions;
  const asPage = (model: (now: Date) => PageModel): Make => {
    return (now) => ({ type: HTML, body: written(model(now), now) });
  };
  const { issuer, versions } = deps;
  const recorded = Object.values(content.examples).toReversed();
  const status = (now: Date) => statusTable(registry, now);
  return new Map<string, Make>([
    ['/docs', asPage((now) => homePage(content, registry, now))],
    ['/docs/concepts', asPage(() => conceptsPage(content))],
    ['/docs/errors', asPage(() => errorsPage(content))],
    ...content.errors.entries.map((entry): [string, Make] => {
      const example = recorded.find(({ problems }) => problems[entry.code])?.problems[entry.code];
      return [
        `/docs/errors/${entry.code}`,
        asPage((now) => errorPage(entry, { issuer, versions, now, example })),
      ];
    }),
    ...content.pages.map((one): [string, Make] => [
      one.path,
      asPage((now) => contentPage(one, one.path === '/docs/versioning' ? status(now) : undefined)),
    ]),
    ...Object.entries(content.files).map(([path, body]): [string, Make] => [
      path,
      () => ({ type: TEXT, body }),
    ]),
    ...Object.entries(ASSETS).map(([name, type]): [string, Make] => [
      `/docs/assets/${name}`,
      () => ({ type, body: readAsset(name) }),
    ]),
    ...registry.releases.flatMap((release) => versionMakers(release, deps, content, asPage)),
  ]);
}

function versionMakers(
  release: Release,
  { versions, issuer, scope }: SiteDeps,
  content: Content,
  asPage: (model: (now: Date) => PageModel) => Make,
): readonly (readonly [string, Make])[] {
  const { registry } = versions;
  const { id } = release;
  const { contract } = versions.served(release).module;
  const operations = operationsOf(contract);
  const apiUrl = `${issuer}/api/${id}`;
  const predecessor = registry.releases[registry.releases.indexOf(release) - 1];
  const examples = content.examples[id]?.operations ?? {};
  const source = { version: id, issuer, operations, examples };
  const context = { contract, version: id, apiUrl, scope };
  const asReference = (path: string, model: (now: Date) => PageModel): [string, Make] => {
    const side = operationMenu(id, operations, path);
    return [path, asPage((now) => ({ ...model(now), side }))];
  };
  return [
    asReference(`/docs/${id}`, (now) => versionPage(release, contract, { registry, now, apiUrl })),
    asReference(`/docs/${id}/fields`, () => fieldsPage(id, contract)),
    [`/docs/${id}/changes`, asPage(() => changesPage(release, predecessor))],
    [
      `/docs/${id}/cls.postman_collection.json`,
      () => ({ type: 'application/json; charset=utf-8', body: postmanCollection(source) }),
    ],
    [`/docs/${id}/cls.bruno.zip`, () => ({ type: 'application/zip', body: brunoZip(source) })],
    ...operations.map((operation): [string, Make] => {
      const shown = examples[`${operation.method} ${operation.path}`] ?? [];
      return asReference(`/docs/${id}/operations/${operation.id}`, (now) => {
        const notice = endNotice(registry, release, now);
        return operationPage(operation, { ...context, examples: shown, notice });
      });
    }),
  ];
}
