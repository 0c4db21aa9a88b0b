type StoredResponse = { sent: string; response: { status: number; body: string } | null };

/**
 * Handles `Idempotency-Key` as the payment provider does.
 * - The same request with a used key gets the first response again, even an error.
 * - A different request with a used key gets 400.
 * - A second request while the first is running gets 409.
 */
export function idempotentResponses() {
  const stored = new Map<string, StoredResponse>();
  return async (key: string | null, sent: string, work: () => Promise<Response>): Promise<Response> => {
    if (key === null) return work();
    const known = stored.get(key);
    if (known === undefined) {
      const entry: StoredResponse = { sent, response: null };
      stored.set(key, entry);
      const response = await work();
      entry.response = { status: response.status, body: await response.text() };
      return json(entry.response);
    }
    if (known.sent !== sent) return refused(400, "The key stands for another request");
    if (known.response === null) return refused(409, "The key is in use");
    return json(known.response, { "idempotent-replayed": "true" });
  };
}

const json = ({ status, body }: { status: number; body: string }, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { "content-type": "application/json", ...headers } });

const refused = (status: number, message: string) =>
  Response.json({ error: { type: "idempotency_error", message } }, { status });
