import { Webhook } from "standardwebhooks";
import { type ReceivedWebhook, receiverPage } from "./receiver-page.ts";

/*
 * Receives webhooks in development, and shows them in a browser. It listens only on the loopback address, because
 * events contain personal data.
 */

export type Receiver = {
  /** The URL of the page that shows the received webhooks. */
  webUrl: string;
  /** The latest 1,000 webhooks, newest last. */
  readonly received: readonly ReceivedWebhook[];
  /** Responds to the next `n` webhooks with 500; 0 resets this. */
  failNext(n: number): void;
  stop(): Promise<void>;
};

type ReceiverOptions = {
  /** The port; 0 chooses a free one. */
  port: number;
  /** Returns the secrets of the webhook endpoints whose URL begins with this URL. */
  secretsOf: (url: string) => Promise<string[]>;
};

const MAX_RECEIVED = 1_000;

/** Returns the URL to register as a webhook endpoint. Paths below it receive webhooks too. */
export const hookUrl = (port: number) => `http://127.0.0.1:${port}/hook`;

/** Starts the receiver and its page. @throws an Error if the port is in use */
export function startReceiver({ port, secretsOf }: ReceiverOptions): Receiver {
  const received: ReceivedWebhook[] = [];
  let failures = 0;
  const failNext = (n: number) => {
    failures = n;
  };
  const showPage = receiverPage({ received, failures: () => failures, failNext });

  async function receive(request: Request): Promise<Response> {
    const payload = await request.text();
    const signature = await checkSignature(await secretsOf(webUrl), request.headers, payload);
    const isFailing = failures > 0;
    if (isFailing) failures -= 1;
    received.push({
      id: crypto.randomUUID(),
      receivedAt: new Date(),
      path: new URL(request.url).pathname,
      signature,
      status: isFailing ? 500 : 200,
      headers: Object.fromEntries(request.headers),
      payload,
    });
    if (received.length > MAX_RECEIVED) received.shift();
    return isFailing ? new Response("Failed on request", { status: 500 }) : new Response("ok");
  }

  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch: (request) => (isWebhook(request) ? receive(request) : showPage(request)),
  });
  const webUrl = `http://127.0.0.1:${server.port}/`;
  return { webUrl, received, failNext, stop: () => server.stop(true) };
}

const isWebhook = (request: Request) =>
  request.method === "POST" && new URL(request.url).pathname.startsWith("/hook");

/** Returns `valid`; otherwise the reason why the request's signature is not accepted with any of the secrets. */
async function checkSignature(secrets: string[], headers: Headers, payload: string): Promise<string> {
  let refusal = "no endpoint is registered with this address";
  for (const secret of secrets) {
    try {
      new Webhook(secret).verify(payload, Object.fromEntries(headers));
      return "valid";
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error);
    }
  }
  return refusal;
}
