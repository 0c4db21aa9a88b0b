import type { App } from "./context.ts";

/**
 * Returns a function that creates one value per instance of the service, when the value is first needed. Tests run
 * several instances in one process.
 */
export function memoizePerApp<Value extends object>(create: (app: App) => Value): (app: App) => Value {
  const values = new WeakMap<App, Value>();
  return (app) => {
    const value = values.get(app) ?? create(app);
    values.set(app, value);
    return value;
  };
}
