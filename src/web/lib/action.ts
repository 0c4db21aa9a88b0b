import { createContext, useContext, useEffect, useRef, useState } from "react";
import type { Endpoint } from "../../client/index.ts";
import { loadErrorTexts } from "./errors.ts";
import { IdempotencyKeys } from "./idempotency-keys.ts";

export type ActionOptions<Input, Output> = {
  /**
   * Sends the request, for example `(input) => client.request("DELETE /api/units/{id}", { path: { id: input } })`. A
   * POST must send `idempotencyKey`. The key stays the same for an input until the outcome of the request is known,
   * so that a repeated request takes effect once.
   */
  readonly run: (input: Input, idempotencyKey: string) => Promise<Output>;
  /** The endpoints whose cached data is stale after the action. They are refetched before `onDone`. */
  readonly invalidates?: readonly Endpoint[];
  readonly onDone?: (output: Output) => void;
  /** Whether the action runs only once at a time, even for different inputs. */
  readonly isSingle?: boolean;
};

/** Refetches cached data of endpoints. The pages before sign-in have no cache. */
export const Invalidation = createContext<(endpoints: readonly Endpoint[]) => Promise<void>>(async () => {});

const observers = new Set<(error: unknown) => void>();

/** Calls an observer with the error of each action that fails; returns a function that ends this. */
export function observeFailures(observer: (error: unknown) => void): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

type State = { readonly status: "idle" | "running" | "done" | "failed"; readonly error: unknown };
const IDLE: State = { status: "idle", error: null };

/**
 * A change that is not made by a form, for example by a button: `const { run, error, isRunning } = useAction({ …
 * })`. While it runs, another call with the same input does nothing: a second click may come before the button is
 * shown as busy.
 */
export function useAction<Input = void, Output = unknown>(options: ActionOptions<Input, Output>) {
  const invalidate = useContext(Invalidation);
  const running = useRef(new Set<Input | null>()).current;
  const keys = useRef(new IdempotencyKeys()).current;
  const calls = useRef(0);
  const [{ status, error }, setState] = useState(IDLE);
  // `invalidates` and `onDone` are those of the latest render, not of the render that started the action.
  const newest = useRef(options);
  useEffect(() => {
    newest.current = options;
  });

  async function attempt(input: Input, onError?: (error: unknown) => void) {
    const call = ++calls.current;
    const show = (state: State) => call === calls.current && setState(state);
    show({ status: "running", error: null });
    // The error texts are not part of the first load, so they are loaded while the request runs.
    loadErrorTexts();
    const key = options.isSingle ? null : input;
    running.add(key);
    try {
      const output = await keys.run(input, (idempotencyKey) => options.run(input, idempotencyKey));
      await invalidate(newest.current.invalidates ?? []);
      newest.current.onDone?.(output);
      show({ status: "done", error: null });
    } catch (cause) {
      show({ status: "failed", error: cause });
      onError?.(cause);
      for (const observer of observers) observer(cause);
    } finally {
      running.delete(key);
    }
  }
  return {
    run(input: Input, callbacks: { onError?: (error: unknown) => void } = {}) {
      if (!running.has(options.isSingle ? null : input)) void attempt(input, callbacks.onError);
    },
    isRunning: status === "running",
    isDone: status === "done",
    error,
    reset: () => setState(IDLE),
  };
}
