import { type ComponentType, createElement, use } from "react";

const RETRY_MS = 500;
/** The time after which a page that could not be loaded is tried again. */
const FAILED_MS = 3_000;

/**
 * A page that is loaded when it is first needed, as the router's `lazyRouteComponent`, which reloads the document if the
 * page cannot be loaded: without a network, everything typed would be lost. This one tries twice, then throws to the
 * router's error page, in the document that is there.
 */
export function lazyPage<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  let page: ComponentType | undefined;
  let failure: { readonly error: unknown; readonly at: number } | undefined;
  let loading: Promise<void> | undefined;

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
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each route, when its module is loaded
  function LazyPage() {
    if (page !== undefined) return createElement(page);
    if (failure !== undefined && performance.now() - failure.at < FAILED_MS) throw failure.error;
    use(preload());
    return null;
  }
  return Object.assign(LazyPage, { preload });
}
