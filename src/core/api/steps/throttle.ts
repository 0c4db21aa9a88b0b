import { throttleKey } from "../../../platform/http/client-address.ts";
import { memoizePerApp } from "../../memoize-per-app.ts";
import { FailureLimiter } from "../failure-limiter.ts";
import { throttleOf } from "../throttle.ts";
import type { StepOf } from "./incoming.ts";

/** Limits the calls from each IP address (rules 2.4, 1). */
export const throttleAddress: StepOf = ({ throttle }) => {
  if (throttle?.perIp === undefined) return null;
  const limits = throttleOf(throttle);
  return ({ app, context }) => limits.perIp(app, context.ip);
};

/** Limits the calls from each IP address that fail (rules 2.4, 1). A call holds a place until it ends. */
export const throttleFailures: StepOf = ({ throttle }) => {
  const { failuresPerIp } = throttle ?? {};
  if (failuresPerIp === undefined) return null;
  const limiter = memoizePerApp(
    (app) => new FailureLimiter(app.config.throttleLimit * Number(failuresPerIp)),
  );
  return async (incoming) => {
    const { app, context } = incoming;
    const deadlineAt = performance.now() + context.db.maxWaitMs;
    const settle = await limiter(app).reserve(throttleKey(context.ip), deadlineAt);
    incoming.atEnd(() => settle(incoming.hasSucceeded));
  };
};

/** Limits the calls of each user or service account (rules 2.4, 10). */
export const throttleCaller: StepOf = ({ throttle }) => {
  if (throttle?.perUserPerMinute === undefined) return null;
  const limits = throttleOf(throttle);
  return ({ app, actor }) => actor && limits.perUser(app, actor.id);
};
