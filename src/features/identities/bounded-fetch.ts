/** Far beyond any metadata, key set, token or claims. */
const MAX_BYTES = 1024 * 1024;

/**
 * `fetch` for what comes from a provider: its answer is read as far as it is small, and dropped there. Whoever stands
 * in for a provider, or gets it to say a lot, must not fill the memory of the service.
 */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  if (response.body === null) return response;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // As it comes out of any compression; leaving the loop hangs up.
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`An answer of more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(new Blob(chunks), { status, headers });
}
