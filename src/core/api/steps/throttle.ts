import { throttleOf } from "../throttle.ts";
import type { StepOf } from "./incoming.ts";

/** Limits the calls from each IP address (rules 2.4, 1). */
export const throttleAddress: StepOf = ({ throttle }) => {
  if (throttle?.perIp === undefined) return null;
  const limits = throttleOf(throttle);
  return ({ app, context }) => limits.perIp(app, context.ip);
};

/** Limits the calls of each user or service account (rules 2.4, 10). */
export const throttleCaller: StepOf = ({ throttle }) => {
  if (throttle?.perUserPerMinute === undefined) return null;
  const limits = throttleOf(throttle);
  return ({ app, actor }) => actor && limits.perUser(app, actor.id);
};
