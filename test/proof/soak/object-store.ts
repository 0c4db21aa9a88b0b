/** Starts a server with the part of S3 that the service uses. It keeps objects in memory, and can be full or fail. */
export function startObjectStore() {
  const objects = new Map<string, Uint8Array>();
  let isFull = false;
  let isFailing = false;
  const failure = (code: string, status: number) =>
    new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`, {
      status,
      headers: { "content-type": "application/xml" },
    });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      // If set, the store stores objects but returns an error, and returns no objects.
      if (isFailing && request.method !== "PUT") return failure("InternalError", 500);
      const key = decodeURIComponent(new URL(request.url).pathname.split("/").slice(2).join("/"));
      switch (request.method) {
        case "PUT": {
          const bytes = await request.bytes();
          if (isFull) return failure("InsufficientStorage", 507);
          objects.set(key, bytes);
          if (isFailing) return failure("InternalError", 500);
          return new Response(null, { headers: { etag: '"0"' } });
        }
        case "GET": {
          const bytes = objects.get(key);
          return bytes === undefined ? failure("NoSuchKey", 404) : new Response(Buffer.from(bytes));
        }
        case "DELETE":
          objects.delete(key);
          return new Response(null, { status: 204 });
        default:
          return new Response(null);
      }
    },
  });
  return {
    port: server.port ?? 0,
    /** Returns the keys of images. The service also stores a marker object and a probe object, which are left out. */
    keys: () => [...objects.keys()].filter((key) => key.startsWith("helpdesk/")),
    fill: (full: boolean) => {
      isFull = full;
    },
    fail: (failing: boolean) => {
      isFailing = failing;
    },
    stop: () => server.stop(true),
  };
}
