import { randomUUID } from "node:crypto";

/*
 * Mocks the provider of the bot check in development and tests: the script that pages load, the frame in which the person
 * confirms, and the verification of tokens, each of which works once. It listens only on the loopback address.
 */

export const BOT_CHECK_KEYS = { siteKey: "site-key-only-for-development", secret: "only-for-development" };

export type BotCheckService = {
  /** The value of `BOT_CHECK_URL`. */
  url: string;
  /** Issues a token, as the frame does. */
  token(): string;
  /** The forms that were sent for verification. */
  readonly asked: Record<string, string>[];
  /** Answers instead of the service. */
  answer: (() => Response | Promise<Response>) | null;
  stop(): Promise<void>;
};

const refused = (...codes: string[]) => Response.json({ success: false, "error-codes": codes });

/** Starts the mock. `port` 0 (the default) chooses a free one. */
export function startBotCheck({ port = 0 }: { port?: number } = {}): BotCheckService {
  const tokens = new Set<string>();
  const token = () => {
    const issued = randomUUID();
    tokens.add(issued);
    return issued;
  };

  async function verify(request: Request): Promise<Response> {
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    service.asked.push(form);
    if (service.answer !== null) return service.answer();
    if (form.secret !== BOT_CHECK_KEYS.secret) return refused("invalid-input-secret");
    return tokens.delete(form.response ?? "")
      ? Response.json({ success: true, "error-codes": [] })
      : refused("timeout-or-duplicate");
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === "POST") return verify(request);
      if (pathname === "/turnstile/v0/api.js")
        return new Response(SCRIPT, { headers: { "content-type": "text/javascript" } });
      if (pathname === "/frame")
        return new Response(frame(token()), { headers: { "content-type": "text/html; charset=utf-8" } });
      return new Response("Not found", { status: 404 });
    },
  });
  const service: BotCheckService = {
    url: `http://127.0.0.1:${server.port}/turnstile/v0/siteverify`,
    token,
    asked: [],
    answer: null,
    stop: () => server.stop(true),
  };
  return service;
}

/** The part of Turnstile's script that the console uses: https://developers.cloudflare.com/turnstile. */
const SCRIPT = `(() => {
  const { origin } = new URL(document.currentScript.src);
  const widgets = new Map();
  addEventListener("message", (event) => {
    if (event.origin !== origin) return;
    for (const { frame, options } of widgets.values())
      if (frame.contentWindow === event.source) options.callback(event.data);
  });
  const load = (frame) => { frame.src = origin + "/frame?" + Math.random(); };
  window.turnstile = {
    render(element, options) {
      const frame = document.createElement("iframe");
      frame.title = "Bot check";
      frame.width = 300;
      frame.height = 65;
      load(frame);
      element.append(frame);
      const id = String(widgets.size);
      widgets.set(id, { frame, options });
      return id;
    },
    reset(id) { const widget = widgets.get(id); if (widget) load(widget.frame); },
    remove(id) { widgets.get(id)?.frame.remove(); widgets.delete(id); },
  };
})();`;

const frame = (token: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Bot check</title>
<label><input type="checkbox" onchange="parent.postMessage('${token}', '*')"> I am not a robot (stand-in)</label></html>`;
