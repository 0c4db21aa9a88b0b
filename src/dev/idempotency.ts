type Kept = { sent: string; answer: { status: number; body: string } | null };

/**
 * Answers as the payment provider does to an `Idempotency-Key`: what came of a key comes of it again, failures too, and
 * only for the same request; while the first is being answered, others of its key are 409. Without a key, as it comes.
 */
export function idempotentAnswers() {
  const kept = new Map<string, Kept>();
  return async (key: string | null, sent: string, work: () => Promise<Response>): Promise<Response> => {
    if (key === null) return work();
    const known = kept.get(key);
    if (known === undefined) {
      const entry: Kept = { sent, answer: null };
      kept.set(key, entry);
      const response = await work();
      entry.answer = { status: response.status, body: await response.text() };
      return json(entry.answer);
    }
    if (known.sent !== sent) return refused(400, "The key stands for another request");
    if (known.answer === null) return refused(409, "The key is in use");
    return json(known.answer, { "idempotent-replayed": "true" });
  };
}

const json = ({ status, body }: { status: number; body: string }, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { "content-type": "application/json", ...headers } });

const refused = (status: number, message: string) =>
  Response.json({ error: { type: "idempotency_error", message } }, { status });
