import { tooManyRequests } from "../../../platform/errors.ts";
import { throttleKey } from "../../../platform/http/client-address.ts";
import { Permits } from "../../../platform/limits/permits.ts";
import { Rate } from "../../../platform/limits/rate.ts";
import { accountOf } from "../../access/access.ts";
import type { App } from "../../context.ts";
import { LIMITS, MINUTE } from "../../definitions/limits.ts";
import { memoizePerApp } from "../../memoize-per-app.ts";
import type { StepOf } from "./incoming.ts";

const rateOf = ({ config }: App, multiple: true | number) =>
  new Rate({ ...LIMITS.calls, points: config.throttleLimit * Number(multiple) });

/** Limits the calls from each IP address (rules 2.4, 1). */
export const throttleAddress: StepOf = ({ throttle: { perIp, response } = {} }) => {
  if (perIp === undefined) return null;
  const callsOf = memoizePerApp((app) => rateOf(app, perIp));
  return ({ app, context }) => {
    const { isReached, secondsLeft } = callsOf(app).count(throttleKey(context.ip));
    if (!isReached) return;
    if (response === undefined) throw tooManyRequests(secondsLeft);
    return response(app);
  };
};

/**
 * Limits the calls from each IP address that fail (rules 2.4, 1). Each call in progress holds one of the failures that
 * are left, so that parallel calls cannot exceed the limit. Further calls wait, because those before them may succeed.
 */
export const throttleFailures: StepOf = ({ throttle: { failuresPerIp } = {} }) => {
  if (failuresPerIp === undefined) return null;
  const limitsOf = memoizePerApp((app) => {
    const failures = rateOf(app, failuresPerIp);
    const refuse = (address: string) => {
      const { isReached, secondsLeft } = failures.peek(address);
      return tooManyRequests(isReached ? secondsLeft : 1);
    };
    const max = (address: string) => failures.peek(address).remaining;
    const { waiting } = LIMITS.failingCalls.levels.address;
    return { failures, refuse, calls: new Permits({ address: { max, waiting } }, { address: refuse }) };
  });
  return async (incoming) => {
    const { app, context, request } = incoming;
    const { failures, refuse, calls } = limitsOf(app);
    const address = throttleKey(context.ip);
    const deadlineAt = performance.now() + context.db.maxWaitMs;
    const release = await calls.acquire({ address }, { request, deadlineAt, late: () => refuse(address) });
    incoming.atEnd(() => {
      if (!incoming.hasSucceeded) failures.count(address);
      release();
    });
  };
};

/** Limits the calls of each user or service account (rules 2.4, 10). */
export const throttleCaller: StepOf = ({ throttle: { perUserPerMinute: points } = {} }) => {
  if (points === undefined) return null;
  const callsOf = memoizePerApp(() => new Rate({ points, perSeconds: MINUTE }));
  return ({ app, actor }) => actor && callsOf(app).consume(accountOf(actor));
};
