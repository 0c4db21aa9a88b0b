import { type MutateOptions, type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { Endpoint } from "../../client/index.ts";
import { queryKey } from "../../client/react.ts";
import { IdempotencyKeys } from "./idempotency-keys.ts";

export type ActionOptions<Input, Output> = {
  /**
   * Sends the request, for example `(input) => client.request("DELETE /api/todos/{id}", { path: { id: input } })`.
   * A POST passes `idempotencyKey` on, which stays the same for the same input until the outcome is known.
   */
  readonly run: (input: Input, idempotencyKey: string) => Promise<Output>;
  /** The endpoints whose cached data is stale after the action. They are refetched before `onDone`. */
  readonly invalidates?: readonly Endpoint[];
  readonly onDone?: (output: Output) => void;
  /** Whether the action runs only once at a time, even for different inputs. */
  readonly isSingle?: boolean;
};

/** Refetches the cached data of these endpoints. */
export async function invalidate(queries: QueryClient, endpoints: readonly Endpoint[] = []): Promise<void> {
  await Promise.all(endpoints.map((endpoint) => queries.invalidateQueries({ queryKey: queryKey(endpoint) })));
}

/**
 * A change that is not made by a form, for example by a button: `const { run, error, isRunning } = useAction({ …
 * })`. While it runs, another call with the same input does nothing: a second click may come before the button is
 * shown as busy.
 */
export function useAction<Input = void, Output = unknown>(options: ActionOptions<Input, Output>) {
  const queries = useQueryClient();
  const running = useRef(new Set<Input | null>()).current;
  const keys = useRef(new IdempotencyKeys()).current;
  const keyOf = (input: Input) => (options.isSingle ? null : input);
  const mutation = useMutation<Output, unknown, Input>({
    mutationFn: (input) => keys.run(input, (key) => options.run(input, key)),
    onSettled: (_output, _error, input) => void running.delete(keyOf(input)),
    async onSuccess(output) {
      await invalidate(queries, options.invalidates);
      options.onDone?.(output);
    },
  });
  const { mutate, mutateAsync, isPending, isSuccess, error, reset } = mutation;
  function run(input: Input, callbacks?: MutateOptions<Output, unknown, Input>) {
    if (running.has(keyOf(input))) return;
    running.add(keyOf(input));
    mutate(input, callbacks);
  }
  return { run, runAsync: mutateAsync, isRunning: isPending, isDone: isSuccess, error, reset };
}
