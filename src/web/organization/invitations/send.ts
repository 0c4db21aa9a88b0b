import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, type Client, type RequestOptions } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { IdempotencyKeys } from "../../lib/idempotency-keys.ts";
import { invalidate } from "../../lib/invalidate.ts";

export type Outcome = {
  readonly email: string;
  readonly error: unknown;
  readonly state: "ok" | "failed" | "skipped";
};
type Body = RequestOptions<"POST /api/members/invitations">["body"];

/**
 * Error codes that concern only one address. After any other error, the remaining addresses are not tried, because
 * they would fail in the same way.
 */
const OF_ONE = new Set(["VALIDATION_FAILED", "ALREADY_MEMBER", "CONFLICT", "EMAIL_UNAVAILABLE"]);

const isOfOne = (error: unknown) =>
  error instanceof ApiError && OF_ONE.has(error.code) && error.errors.every(({ path }) => path === "email");

/** Invites addresses one after the other, and reports the outcome of each. */
export function useSendInvitations() {
  const client = useClient();
  const queries = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [total, setTotal] = useState(0);
  const [isRunning, setRunning] = useState(false);
  const busy = useRef(false);
  const keys = useRef(new IdempotencyKeys()).current;

  /**
   * Sends the invitations and returns the outcome of each. Throws no errors. Does nothing while an earlier call is
   * running.
   */
  async function send(
    emails: readonly string[],
    body: Omit<Body, "email">,
  ): Promise<readonly Outcome[] | null> {
    if (busy.current) return null;
    busy.current = true;
    setRunning(true);
    setTotal(emails.length);
    setOutcomes([]);
    const done: Outcome[] = [];
    for (const email of emails) {
      const last = done.at(-1);
      const isOver = last !== undefined && last.state !== "ok" && !isOfOne(last.error);
      done.push(
        isOver
          ? { email, error: last.error, state: "skipped" }
          : await invite(client, keys, { ...body, email }),
      );
      setOutcomes([...done]);
    }
    await invalidate(queries, ["GET /api/members/invitations", "GET /api/organization/billing"]);
    busy.current = false;
    setRunning(false);
    return done;
  }
  return { send, outcomes, total, isRunning, reset: () => setTotal(0) };
}

async function invite(client: Client, keys: IdempotencyKeys, body: Body): Promise<Outcome> {
  const { email } = body;
  const send = (idempotencyKey: string) =>
    client.request("POST /api/members/invitations", { body, idempotencyKey });
  return keys.run(body, send).then(
    () => ({ email, error: null, state: "ok" as const }),
    (error: unknown) => ({ email, error, state: "failed" as const }),
  );
}
