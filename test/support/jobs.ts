import { PgBoss } from "pg-boss";
import { jobKinds } from "../../src/app/jobs.ts";
import type { Service } from "../../src/core/context.ts";
import { runJob } from "../../src/platform/jobs/queue.ts";
import { jobsCipher } from "../../src/platform/jobs/send.ts";

/** Runs queued jobs at once, so that tests need not wait for polling. A failed job fails the test. */
export class JobDrain {
  private readonly boss: PgBoss;
  private started: Promise<unknown> | null = null;

  constructor(
    databaseUrl: string,
    private readonly service: Service,
  ) {
    const quiet = { supervise: false, schedule: false, migrate: false, createSchema: false };
    this.boss = new PgBoss({ connectionString: databaseUrl, schema: "pgboss", max: 2, ...quiet });
    this.boss.on("error", () => {});
  }

  async drain(): Promise<void> {
    this.started ??= this.boss.start();
    await this.started;
    while ((await this.drainOnce()) > 0);
  }

  private async drainOnce(): Promise<number> {
    let done = 0;
    // Most queues are empty: asking for them all together takes a twentieth of the statements.
    const waiting = await this.waitingQueues();
    for (const kind of jobKinds.filter(({ queue }) => waiting.has(queue))) {
      const jobs = await this.boss.fetch<{ sealed: string }>(kind.queue, {
        includeMetadata: true,
        batchSize: 100,
      });
      // Runs the jobs in queue order, so that the newest mail is sent last.
      for (const job of jobs.sort((one, other) => +one.createdOn - +other.createdOn)) {
        try {
          await runJob(kind, this.service, jobsCipher(this.service.app.config), job);
        } catch (error) {
          await this.boss.fail(kind.queue, job.id, { message: String(error) });
          throw error;
        }
        await this.boss.complete(kind.queue, job.id);
      }
      done += jobs.length;
    }
    return done;
  }

  private async waitingQueues(): Promise<Set<string>> {
    const waiting = `SELECT DISTINCT name FROM pgboss.job
      WHERE state < 'active' AND NOT blocked AND start_after <= pgboss.job_now()`;
    const { rows } = await this.boss.getDb().executeSql(waiting);
    return new Set(rows.map(({ name }) => name));
  }

  async stop(): Promise<void> {
    if (this.started === null) return;
    await this.started;
    await this.boss.stop({ graceful: false });
  }
}
