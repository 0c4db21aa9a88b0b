import type { App } from "./context.ts";

/** One value for each instance of the service, created when it is first needed; several instances share a process in tests. */
export function perApp<Value extends object>(create: (app: App) => Value): (app: App) => Value {
  const values = new WeakMap<App, Value>();
  return (app) => {
    const existing = values.get(app);
    if (existing !== undefined) return existing;
    const value = create(app);
    values.set(app, value);
    return value;
  };
}
