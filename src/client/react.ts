"use client";
import {
  queryOptions,
  type UseMutationOptions,
  type UseMutationResult,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { createElement, type ReactElement, type ReactNode, useEffect, useState } from "react";
import type {
  ApiError,
  Client,
  ConnectionError,
  Endpoint,
  OptionalArguments,
  RequestError,
  RequestOptions,
  Result,
  StreamOptions,
  StreamStatus,
} from "./index.ts";
import { ClientContext, useClient, useSession } from "./session-hooks.ts";

export { useCan, useClient, useSession } from "./session-hooks.ts";

/**
 * Provides a client to its children. Must be inside of a `QueryClientProvider`. Drops cached data when the user or
 * the organization changes.
 * @throws Error outside of a `QueryClientProvider`
 */
export function ClientProvider({ client, children }: { client: Client; children?: ReactNode }): ReactElement {
  const queries = useQueryClient();
  useEffect(() => {
    let known: string | null = null;
    // Without a session, refetching could only fail.
    function dropCache(refetch: boolean) {
      void queries.cancelQueries();
      if (refetch) void queries.resetQueries();
      else for (const query of queries.getQueryCache().getAll()) query.reset();
    }
    const follow = () => {
      const session = client.session.get();
      if (session.status === "loading") return;
      const now = session.status === "signed-in" ? `${session.userId} ${session.organization?.id}` : "";
      if (known !== null && known !== now) dropCache(now !== "");
      known = now;
    };
    follow();
    return client.session.subscribe(follow);
  }, [client, queries]);
  return createElement(ClientContext.Provider, { value: client }, children);
}

/**
 * Returns the key of a query, to read or invalidate cached data. Without options, returns the common key of all
 * queries of the endpoint. Throws nothing.
 */
export const queryKey = <E extends Endpoint>(
  endpoint: E,
  options?: Omit<RequestOptions<E>, "signal" | "timeoutMs">,
) => (options === undefined ? ([endpoint] as const) : ([endpoint, options] as const));

type GetEndpoint = Extract<Endpoint, `GET ${string}`>;
type QueryParts<E extends Endpoint> = Omit<RequestOptions<E>, "signal" | "timeoutMs">;
type Arguments<E extends Endpoint, Rest extends unknown[]> =
  object extends RequestOptions<E> ? [options?: QueryParts<E>, ...Rest] : [options: QueryParts<E>, ...Rest];

/**
 * Returns a request as options of TanStack Query, for `useQuery`, `useSuspenseQuery`, `useQueries`, `prefetchQuery`
 * and others: `useSuspenseQuery(apiQueryOptions(client, "GET /api/members"))`. The `queryKey` is typed with the
 * result, so `getQueryData` and `setQueryData` are typed too. Throws nothing.
 */
export function apiQueryOptions<E extends GetEndpoint>(
  client: Client,
  endpoint: E,
  ...[options]: Arguments<E, []>
) {
  return queryOptions<Result<E>, RequestError<E>>({
    queryKey: queryKey(endpoint, options),
    queryFn: ({ signal }) =>
      client.request(
        endpoint,
        ...([{ ...options, signal }] as unknown as OptionalArguments<RequestOptions<E>>),
      ),
    // Only a failed connection is retried, because the API would return the same error again.
    retry: (failures, error) => failures < 3 && RETRIED.has(error.code) && waitOf(error) <= MAX_WAIT_MS,
    retryDelay: (failures, error) => Math.max(waitOf(error), 1000 * 2 ** failures),
  });
}

const RETRIED = new Set<string>([
  "NETWORK_ERROR",
  "TIMEOUT",
  "UNEXPECTED_RESPONSE",
  "SERVICE_UNAVAILABLE",
  "TOO_MANY_REQUESTS",
]);
/** If the service requests a longer pause (`Retry-After`), the error is shown instead of a retry. */
const MAX_WAIT_MS = 10_000;
const waitOf = (error: ApiError | ConnectionError) =>
  "retryAfter" in error ? (error.retryAfter ?? 0) * 1000 : 0;

type Settings<E extends Endpoint, Data> = Omit<
  UseQueryOptions<Result<E>, RequestError<E>, Data>,
  "queryKey" | "queryFn"
>;

/**
 * Sends a request as a query of TanStack Query. Errors are narrowed to those of the endpoint.
 * @param settings settings of TanStack Query, such as `select`, `enabled` and `staleTime`
 * @throws Error outside of the providers above; the request's own error with `throwOnError`
 */
export function useApiQuery<E extends GetEndpoint, Data = Result<E>>(
  endpoint: E,
  ...[options, settings]: Arguments<E, [settings?: Settings<E, Data>]>
): UseQueryResult<Data, RequestError<E>> {
  const common = apiQueryOptions(useClient(), endpoint, ...([options] as Arguments<E, []>));
  return useQuery({ ...common, ...settings } as UseQueryOptions<Result<E>, RequestError<E>, Data>);
}

/**
 * Sends a request as a mutation of TanStack Query: `mutate({ body: { title } })`. The value that `onMutate` returns
 * is the typed context of `onError`, `onSuccess` and `onSettled`.
 * @throws Error outside of the providers above; `mutateAsync` rejects with ApiError, ConnectionError
 */
export function useApiMutation<E extends Exclude<Endpoint, GetEndpoint>, Context = unknown>(
  endpoint: E,
  settings?: Omit<UseMutationOptions<Result<E>, RequestError<E>, RequestOptions<E>, Context>, "mutationFn">,
): UseMutationResult<Result<E>, RequestError<E>, RequestOptions<E>, Context> {
  const client = useClient();
  return useMutation<Result<E>, RequestError<E>, RequestOptions<E>, Context>({
    ...settings,
    mutationFn: (options) => client.request(endpoint, ...([options] as OptionalArguments<RequestOptions<E>>)),
  });
}

/** The result of `useNotifications`: the unread count (null if it is not known yet) and the status of the stream. */
export type Live = { readonly unreadCount: number | null; readonly status: StreamStatus };

/**
 * Subscribes to the notifications of the signed-in user, and refetches their list on events.
 * @param onNotification called with the id of each new notification, for example to show a toast
 * @throws Error outside of the providers above
 */
export function useNotifications(onNotification?: StreamOptions["onNotification"]): Live {
  const client = useClient();
  const queries = useQueryClient();
  const session = useSession();
  const userId = session.status === "signed-in" ? session.userId : null;
  const [live, setLive] = useState<Live>({ unreadCount: null, status: "connecting" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new callback function must not open a new stream
  useEffect(() => {
    if (userId === null) return;
    setLive({ unreadCount: null, status: "connecting" });
    const stream = client.notifications.stream({
      onStatus: (status) => setLive((now) => ({ ...now, status })),
      onUnreadCount(unreadCount) {
        setLive((now) => ({ ...now, unreadCount }));
        void queries.invalidateQueries({ queryKey: queryKey("GET /api/notifications") });
      },
      ...(onNotification && { onNotification }),
    });
    return () => stream.close();
  }, [client, queries, userId]);
  return live;
}
