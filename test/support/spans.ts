import { afterAll } from "bun:test";
import { until } from "./cluster.ts";

/** A received span in the form that tests use. */
export type Span = {
  name: string;
  kind: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  failed: boolean;
  attributes: Record<string, unknown>;
};

const KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const FAILED = 2;

type Value = { stringValue?: string; intValue?: number; arrayValue?: { values: Value[] } };
type SentSpan = Omit<Span, "kind" | "failed" | "attributes"> & {
  kind: number;
  status: { code?: number };
  attributes: { key: string; value: Value }[];
};

const readValue = ({ arrayValue, ...simple }: Value): unknown =>
  arrayValue === undefined ? Object.values(simple)[0] : arrayValue.values.map(readValue);

/** Starts an OpenTelemetry collector that stores the received spans. */
export function startCollector() {
  const requests: { path: string; headers: Headers; text: string }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { headers } = request;
      requests.push({ path: new URL(request.url).pathname, headers, text: await request.text() });
      return Response.json({});
    },
  });
  afterAll(() => server.stop(true));

  const spans = (): Span[] =>
    requests
      .flatMap(({ text }) => JSON.parse(text).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope: { spans: SentSpan[] }) => scope.spans)
      .map(({ kind, status, attributes, ...span }) => ({
        ...span,
        kind: KINDS[kind] ?? "",
        failed: status.code === FAILED,
        attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)])),
      }));
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    spans,
    text: () => requests.map(({ text }) => text).join("\n"),
    untilOne: (isMeant: (span: Span) => boolean) => until(() => (spans().some(isMeant) ? true : null)),
  };
}
