import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import { countedLines } from '../http/counted-lines.ts';
import { PROBES } from '../http/request-log.ts';
import { setTraceId } from '../http/trace-id.ts';
import { type Log, silentLog } from '../log.ts';
import type { Tracing } from './tracing.ts';

const STATEMENT_CHARS = 1_000;
const STOP_MS = 5_000;

/**
 * Spans by the OpenTelemetry SDK, sent by OTLP over HTTP. It reads `OTEL_EXPORTER_OTLP_*` and
 * `OTEL_TRACES_SAMPLER` itself. Registered for the whole process: call it once.
 */
export function openTelemetry(service: string, version: string): Tracing {
  let log: Log = silentLog;
  const exporter = countedFailures(new OTLPTraceExporter(), (counts) => {
    const count = Object.values(counts).reduce((sum, each) => sum + each, 0);
    const reason = Object.keys(counts).join(', ');
    log.warn({ count, reason }, 'traces cannot be sent to the collector, and are lost');
  });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  const tracer = trace.getTracer('cls', version);
  const stopObserving = observeFetch(tracer);
  return {
    reportTo(to) {
      log = to;
    },
    requests: (handle) => tracedRequests(tracer, handle),
    answered: ({ route, status, method, requestId, refused }) => {
      const span = trace.getActiveSpan();
      if (span === undefined) return;
      span.updateName(route === undefined ? method : `${method} ${route}`);
      span.setAttributes({
        'http.response.status_code': status,
        'http.request.id': requestId ?? '',
        ...(route === undefined ? {} : { 'http.route': route }),
        ...(refused === undefined ? {} : { 'error.type': refused }),
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    },
    statement: (text) => {
      // Of work that no request began, and of probes: each would be a trace by itself.
      if (trace.getActiveSpan() === undefined) return () => undefined;
      const span = tracer.startSpan(/\w+/.exec(text)?.[0]?.toUpperCase() ?? 'SQL', {
        kind: SpanKind.CLIENT,
        // Parameters are not in it.
        attributes: {
          'db.system.name': 'postgresql',
          'db.query.text': text.slice(0, STATEMENT_CHARS),
        },
      });
      return (outcome) => ended(span, outcome === 'done' ? undefined : outcome);
    },
    command: (name) => {
      const attributes = { 'db.system.name': 'redis', 'db.operation.name': name };
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
      return (failed) => ended(span, failed ? 'failed' : undefined);
    },
    during: (name, work) => during(tracer, name, work),
    headers() {
      const headers: Record<string, string> = {};
      propagation.inject(context.active(), headers);
      return headers;
    },
    logFields() {
      const active = trace.getActiveSpan()?.spanContext();
      return active === undefined ? {} : { 'trace.id': active.traceId, 'span.id': active.spanId };
    },
    async stop() {
      stopObserving();
      const late = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

/** @param report how many batches were lost, by the reason: the first at once, then once a minute. */
function countedFailures(
  exporter: SpanExporter,
  report: (counts: Readonly<Record<string, number>>) => void,
): SpanExporter {
  const count = countedLines<string>((counts) => report(counts as Record<string, number>));
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) count(codeOf(result.error));
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** A status or a code of Node: a message may quote what the collector answered. */
function codeOf(error: Error): string {
  const { code } = error as Error & { readonly code?: unknown };
  return typeof code === 'number' || /^[A-Z_]+$/.test(`${code}`) ? `${code}` : error.name;
}

function tracedRequests(tracer: Tracer, handle: RequestListener): RequestListener {
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (PROBES.includes(path)) return handle(request, response);
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = { 'http.request.method': request.method ?? '', 'url.path': path };
    const span = tracer.startSpan(
      request.method ?? 'HTTP',
      { kind: SpanKind.SERVER, attributes },
      parent,
    );
    const traced = trace.setSpan(parent, span);
    setTraceId(request, span.spanContext().traceId);
    response.once('close', () => span.end());
    answerIn(traced, handle, request, response);
  };
}

/** What the parts of a body bring about belongs to the request too. */
function answerIn(
  traced: Context,
  handle: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  context.bind(traced, request);
  context.with(traced, () => handle(request, response));
}

function during<T>(tracer: Tracer, name: string, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, async (span) => {
    try {
      const result = await work();
      ended(span, undefined);
      return result;
    } catch (error) {
      ended(span, error instanceof Error ? error.name : 'error');
      throw error;
    }
  });
}

function ended(span: Span, error: string | undefined): void {
  if (error !== undefined) {
    span.setAttribute('error.type', error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** What Node's own fetch tells of its requests (diagnostics channels of undici). */
interface FetchRequest {
  readonly origin: string | URL;
  readonly method: string;
  readonly path: string;
  addHeader(name: string, value: string): void;
}
interface FetchEvent {
  readonly request: FetchRequest;
  readonly response?: { readonly statusCode: number };
  readonly error?: Error;
}

/** A span for each request by `fetch`, which passes the trace on. Queries are left out: they hold what is asked. */
function observeFetch(tracer: Tracer): () => void {
  const spans = new WeakMap<object, Span>();
  const created = ({ request }: FetchEvent) => {
    const url = `${request.origin}${request.path.split('?', 1)[0]}`;
    const attributes = { 'http.request.method': request.method, 'url.full': url };
    const span = tracer.startSpan(request.method, { kind: SpanKind.CLIENT, attributes });
    spans.set(request, span);
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), headers);
    for (const [name, value] of Object.entries(headers)) request.addHeader(name, value);
  };
  const answered = ({ request, response }: FetchEvent) => {
    spans.get(request)?.setAttribute('http.response.status_code', response?.statusCode ?? 0);
  };
  const done = ({ request }: FetchEvent) => {
    const span = spans.get(request);
    if (span !== undefined) ended(span, undefined);
  };
  const failed = ({ request, error }: FetchEvent) => {
    const span = spans.get(request);
    if (span !== undefined) ended(span, error?.name ?? 'error');
  };
  const listeners = { create: created, headers: answered, trailers: done, error: failed };
  const all = Object.entries(listeners).map(([name, listener]) => {
    const events = channel(`undici:request:${name}`);
    const hear = (event: unknown) => listener(event as FetchEvent);
    events.subscribe(hear);
    return () => events.unsubscribe(hear);
  });
  return () => {
    for (const stop of all) stop();
  };
}
