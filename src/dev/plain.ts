import { type DevelopmentProduct, reportUnreachable } from "./product.ts";

type Options = {
  port: number;
  /** The URL of the service. */
  serviceUrl: string;
  product: DevelopmentProduct | null;
};

/** Serves API and product on one origin, without the console. */
export function servePlain({ port, serviceUrl, product }: Options) {
  const server = Bun.serve({
    hostname: "localhost",
    port,
    idleTimeout: 255,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      const at = product?.at && isBelow(product.path, pathname) ? product.at : null;
      const { method, headers, body, signal } = request;
      const forwarded = { method, headers, body, signal, redirect: "manual", decompress: false } as const;
      const response = fetch(`${at ?? serviceUrl}${pathname}${search}`, forwarded);
      return at === null
        ? response
        : response.catch(() => new Response(reportUnreachable(at), { status: 502 }));
    },
    error: () =>
      Response.json({ code: "SERVICE_UNAVAILABLE", message: "Nothing answers there" }, { status: 503 }),
  });
  return { stop: () => server.stop(true) };
}

/** Whether a path is that of the product or below it. */
export const isBelow = (path: string, pathname: string): boolean =>
  pathname === path || pathname.startsWith(`${path}/`);
