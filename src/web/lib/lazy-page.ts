import { type ComponentType, createElement, use } from "react";

const RETRY_MS = 500;
/** The delay after which loading a page is tried again. */
const FAILED_MS = 3_000;

export type LazyPage = ComponentType & { preload(): Promise<void> };

/**
 * Returns a component that loads a page when it is first needed. The router's own `lazyRouteComponent` reloads the
 * document if a page cannot be loaded, so without a network all typed text would be lost. This component tries
 * twice, and then shows the router's error page in the same document.
 */
export function lazyPage<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  let page: ComponentType | undefined;
  let failure: { readonly error: unknown; readonly at: number } | undefined;
  let loading: Promise<void> | undefined;
  let awaited: Promise<void> | undefined;

  const again = () => new Promise((resolve) => setTimeout(resolve, RETRY_MS)).then(load);
  function preload(): Promise<void> {
    failure = undefined;
    loading ??= load()
      .catch(again)
      .then(
        (module) => {
          page = module[name];
        },
        (error) => {
          failure = { error, at: performance.now() };
          loading = undefined;
        },
      );
    return loading;
  }
  // biome-ignore lint/correctness/noComponentHookFactories: called once per route, when the route's module is loaded
  function LazyPage() {
    if (page === undefined) {
      if (failure !== undefined && performance.now() - failure.at < FAILED_MS) throw failure.error;
      awaited = preload();
    }
    // React expects a component that waited for a promise to read that promise also when it is rendered again.
    if (awaited !== undefined) use(awaited);
    return page === undefined ? null : createElement(page);
  }
  return Object.assign(LazyPage, { preload });
}
