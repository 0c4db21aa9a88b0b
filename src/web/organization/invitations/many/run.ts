import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Schemas } from "../../../../client/index.ts";
import { useClient } from "../../../../client/react.ts";
import { loadErrorTexts } from "../../../lib/errors.ts";
import { IdempotencyKeys } from "../../../lib/idempotency-keys.ts";
import { invalidate } from "../../../lib/invalidate.ts";
import { chunksOf, type Result, type Sent, Stopped, sendChunk } from "./requests.ts";
import type { Row } from "./rows.ts";

type State = {
  readonly phase: "idle" | "checking" | "checked" | "sending" | "sent";
  readonly results: ReadonlyMap<Row, Result>;
  readonly done: number;
  readonly total: number;
  readonly seats: Schemas["BulkInvitations"]["seats"];
  readonly mailsWaiting: number;
  /** The seconds until the next request; null if it is not awaited. */
  readonly waits: number | null;
  readonly error: unknown;
};
const IDLE: State = {
  phase: "idle",
  results: new Map(),
  done: 0,
  total: 0,
  seats: { needed: 0, free: null },
  mailsWaiting: 0,
  waits: null,
  error: null,
};

export function useBulk() {
  const client = useClient();
  const queries = useQueryClient();
  const [state, setState] = useState(IDLE);
  const stopping = useRef(new AbortController());
  const keys = useRef(new IdempotencyKeys()).current;
  useEffect(() => () => stopping.current.abort(), []);

  async function run(rows: readonly Row[], dryRun: boolean) {
    const mine = new AbortController();
    stopping.current = mine;
    loadErrorTexts();
    const isCurrent = () => stopping.current === mine;
    let now = state;
    const show = (change: Partial<State>) => {
      now = { ...now, ...change };
      if (isCurrent()) setState(now);
    };
    const all = rows.filter((row): row is Sent => row.body !== null);
    show({
      ...(dryRun ? IDLE : { done: 0, mailsWaiting: 0, error: null }),
      phase: dryRun ? "checking" : "sending",
      total: all.length,
    });
    const options = { dryRun, signal: mine.signal, onWait: (waits: number | null) => show({ waits }) };
    try {
      for (const chunk of chunksOf(all)) {
        if (mine.signal.aborted) break;
        const { results, seats, mailsWaiting } = await sendChunk(client, keys, chunk, options);
        show({
          results: new Map([...now.results, ...results]),
          seats: now.done === 0 ? seats : { ...now.seats, needed: now.seats.needed + seats.needed },
          done: now.done + chunk.length,
          mailsWaiting: now.mailsWaiting + mailsWaiting,
        });
      }
    } catch (error) {
      if (!(error instanceof Stopped)) show({ error });
    }
    if (!dryRun) await invalidate(queries, ["GET /api/members/invitations", "GET /api/organization/billing"]);
    show({ phase: dryRun ? "checked" : "sent", waits: null });
  }
  return {
    ...state,
    isRunning: state.phase === "checking" || state.phase === "sending",
    check: (rows: readonly Row[]) => run(rows, true),
    send: (rows: readonly Row[]) => run(rows, false),
    /** Ends the run after the request that is under way. */
    stop: () => stopping.current.abort(),
    reset() {
      stopping.current.abort();
      stopping.current = new AbortController();
      setState(IDLE);
    },
  };
}
