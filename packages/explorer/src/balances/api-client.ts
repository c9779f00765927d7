import type { Changes } from '../web/address.ts';

/** The API refused a question: its problem document (RFC 9457). */
export class ApiRefused extends Error {
  override readonly name = 'ApiRefused';
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** The parameters at fault, as the API names them, and why. */
  readonly faults: readonly ParameterFault[];
  /** Since when changes can be told, where they cannot since the time that was asked for. */
  readonly earliestSince: string | undefined;
  /** Seconds after which it may be asked again. */
  readonly retryAfterS: string | undefined;

  constructor(problem: Problem, status: number, retryAfterS: string | undefined) {
    super(`the API answered ${status} ${problem.code}`);
    this.status = status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.earliestSince = problem.earliestUpdatedSince;
    this.faults = (problem.errors ?? []).flatMap(({ parameter, code }) =>
      parameter === undefined ? [] : [{ parameter, code: code ?? problem.code }],
    );
    this.retryAfterS = retryAfterS;
  }

  /** The same where a page asked with parameters of other names. @param names by the API's */
  renamed(names: Readonly<Record<string, string>>): ApiRefused {
    const errors = this.faults.map(({ parameter, code }) => ({
      parameter: names[parameter] ?? parameter,
      code,
    }));
    const { code, detail, status, retryAfterS } = this;
    return new ApiRefused({ code, detail, errors }, status, retryAfterS);
  }
}

export interface ParameterFault {
  readonly parameter: string;
  readonly code: string;
}

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly earliestUpdatedSince?: string;
  readonly errors?: readonly { readonly parameter?: string; readonly code?: string }[];
}

/** The API cannot be reached, or did not answer as it does. */
export class ApiUnavailable extends Error {
  override readonly name = 'ApiUnavailable';
}

/** Who asks, and for which request of a person. */
export interface Asker {
  readonly accessToken: string;
  readonly requestId: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface ApiVersion {
  /** `v1`, or `latest`. */
  readonly versionId: string;
  /** `Supported`, `Deprecated` or `Retired`. */
  readonly support: string;
  /** An instant, or words where there is none. */
  readonly retirement: string;
}

export interface ApiClient {
  /** One document. @throws {ApiRefused | ApiUnavailable} */
  read<T>(asker: Asker, path: string, question?: Changes): Promise<T>;
  /** The same where it is not the one with this entity tag; otherwise undefined. */
  readIfChanged<T>(
    asker: Asker,
    path: string,
    etag: string,
  ): Promise<{ readonly answer: T; readonly etag: string | undefined } | undefined>;
  /** The versions of the API, and when they end. @throws {ApiRefused | ApiUnavailable} */
  versions(asker: Asker): Promise<readonly ApiVersion[]>;
  /** The path and the parameters that an answer was asked for with, below the version. */
  askedFor(answer: object): string | undefined;
  /** An export, as it comes. @throws {ApiRefused | ApiUnavailable} */
  export(asker: Asker, path: string, question: Changes, type: string): Promise<Response>;
}

/**
 * @param apiUrl without a version.
 * @param timeoutS how long the API may take to begin an answer.
 */
export function apiClient(apiUrl: string, timeoutS: number): ApiClient {
  const questions = new WeakMap<object, string>();
  const ask = (asker: Asker, path: string, question: Changes, accept: string, etag = '') =>
    get(asker, `/v1/cls${addressOf(path, question)}`, accept, etag);
  const get = async (asker: Asker, below: string, accept: string, etag = '') => {
    const url = `${apiUrl}${below}`;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutS * 1_000);
    const send = () =>
      fetch(url, {
        headers: {
          accept,
          authorization: `Bearer ${asker.accessToken}`,
          'x-request-id': asker.requestId,
          ...(etag === '' ? {} : { 'if-none-match': etag }),
        },
        redirect: 'error',
        signal: AbortSignal.any([asker.signal, late.signal]),
      });
    try {
      return await send().catch((error: unknown) => {
        if (!isClosedConnection(error)) throw error;
        return send();
      });
    } catch (error) {
      throw unavailable(error);
    } finally {
      clearTimeout(timer);
    }
  };
  const answered = async (response: Response): Promise<Response> => {
    if (response.ok) return response;
    const problem = (await response.json().catch(() => undefined)) as Problem | undefined;
    if (problem?.code === undefined) {
      throw new ApiUnavailable(`the API answered ${response.status} without a problem document`);
    }
    throw new ApiRefused(problem, response.status, secondsOf(response.headers.get('retry-after')));
  };
  return {
    async read<T>(asker: Asker, path: string, question: Changes = {}) {
      const response = await answered(await ask(asker, path, question, 'application/json'));
      const answer = await documentOf<T>(response);
      if (typeof answer === 'object' && answer !== null) {
        questions.set(answer, addressOf(path, question));
      }
      return answer;
    },
    async readIfChanged<T>(asker: Asker, path: string, etag: string) {
      const response = await ask(asker, path, {}, 'application/json', etag);
      if (response.status === 304) return undefined;
      const answer = await documentOf<T>(await answered(response));
      return { answer, etag: response.headers.get('etag') ?? undefined };
    },
    async versions(asker) {
      const response = await answered(await get(asker, '', 'application/json'));
      return (await documentOf<{ data: readonly ApiVersion[] }>(response)).data;
    },
    askedFor: (answer) => questions.get(answer),
    export: async (asker, path, question, type) => answered(await ask(asker, path, question, type)),
  };
}

async function documentOf<T>(response: Response): Promise<T> {
  return (await response.json().catch((error: unknown) => {
    throw unavailable(error);
  })) as T;
}

function addressOf(path: string, question: Changes): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(question)) {
    for (const one of value === undefined ? [] : [value].flat()) parameters.append(name, one);
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/**
 * The API, or a proxy, closed an idle connection just as the question went out. Questions only
 * read, so one may be sent again (RFC 9110 §9.2.2).
 */
function isClosedConnection(error: unknown): boolean {
  const cause =
    error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return cause?.code === 'UND_ERR_SOCKET' || cause?.code === 'ECONNRESET';
}

function unavailable(error: unknown): ApiUnavailable {
  const reason = error instanceof Error ? error.message : 'unknown';
  return new ApiUnavailable(`the API does not answer as expected (${reason})`);
}

function secondsOf(header: string | null): string | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? header : undefined;
}
