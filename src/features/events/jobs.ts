import { type JobKind, type Service, systemCall, transaction } from "#kit";
import * as queries from "#sql/events";

/**
 * The number of days whose partitions are created in advance. Events of a day without a partition are stored in the
 * default partition.
 */
const DAYS_AHEAD = 7;

/**
 * A daily job that creates the event partitions of the next days, and drops those of days beyond the retention
 * time.
 */
export const eventJobs: JobKind<Service>[] = [
  {
    queue: "events.days",
    schedule: "27 1 * * *",
    concurrency: 1,
    async run(service) {
      const days = service.app.config.eventRetentionDays;
      await transaction(systemCall(service), (tx) =>
        queries.beginEventDays.run({ ahead: DAYS_AHEAD }, tx.db),
      );
      await transaction(systemCall(service), (tx) => queries.dropEventDays.run({ days }, tx.db));
    },
  },
];
