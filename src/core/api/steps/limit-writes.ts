import { rejectAfterDelay } from "../../../platform/reject-after-delay.ts";
import { writeLimiterOf, writeLimits } from "../write-limiter.ts";
import type { StepOf } from "./incoming.ts";

/** Rejects a write if too many of the caller wait, before its body is read, so that rejecting costs little (23.13). */
export const limitWaitingWrites: StepOf = (definition) =>
  definition.method === "get" || definition.access === "public"
    ? null
    : async ({ app, actor }) => {
        if (actor !== null && !writeLimiterOf(app).hasRoom(writeLimits(definition, { actor })))
          await rejectAfterDelay();
      };

/** Makes each transaction of the request wait for a permit before it takes a connection (23.13). */
export const limitWrites: StepOf = (definition) =>
  definition.access === "public"
    ? null
    : ({ app, access, db, request }) => {
        if (access === null) return;
        const limits = writeLimits(definition, access);
        db.limitWrites(({ deadlineAt, isContinued }) =>
          writeLimiterOf(app).acquire(limits, { request, deadlineAt, alwaysWaits: isContinued }),
        );
      };
