import type { Connection } from "./drivers/driver.ts";
import { isConnectionLost, isInFailedTransaction } from "./failures.ts";
import type { Queryable } from "./prepared-query.ts";

/**
 * A transaction in progress. Statements are sent in call order; a statement that is started without awaiting the
 * previous ones is pipelined. Statements after the transaction's end or deadline are rejected.
 */
export interface TransactionHandle extends Queryable {
  /**
   * Runs a statement whose rows are not needed. Resolves at once, without rows. The statement is pipelined with the
   * next ones, at the latest with COMMIT. If it fails, the transaction fails.
   */
  readonly pipelined: Queryable;
}

/**
 * Runs `work` in a transaction: commits if `work` succeeds, and rolls back if it fails. BEGIN is pipelined with the
 * first statement.
 * @param onResponse called whenever the server has responded
 */
export async function runTransaction<T>(
  connection: Connection,
  work: (handle: TransactionHandle) => Promise<T>,
  onResponse: () => void,
): Promise<T> {
  const transaction = new OpenTransaction(connection, onResponse);
  try {
    const result = await work(transaction);
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback(error);
    // Later statements fail only because of the first failure, so only the first failure is reported.
    throw isInFailedTransaction(error) ? (transaction.failure ?? error) : error;
  }
}

class OpenTransaction implements TransactionHandle {
  /** The first failure of a statement. */
  failure: unknown = null;
  readonly pipelined: Queryable = {
    query: async (text, values) => {
      this.send(text, values);
      return [];
    },
  };
  private readonly sent = new Set<Promise<unknown>>();
  private isBegun = false;
  private isOver = false;

  constructor(
    private readonly connection: Connection,
    private readonly onResponse: () => void,
  ) {}

  async query(text: string, values: unknown[]): Promise<unknown[]> {
    return this.send(text, values);
  }

  private send(text: string, values: unknown[]): Promise<unknown[]> {
    if (this.isOver) throw new Error("The transaction is over");
    values.forEach(assertSendable);
    if (!this.isBegun) {
      this.isBegun = true;
      this.track("BEGIN", []);
    }
    return this.track(text, values);
  }

  /** Sends a statement and tracks it until the server has responded, so that every failure is noticed. */
  private track(text: string, values: unknown[]): Promise<unknown[]> {
    const result = Promise.resolve(this.connection.query(text, values));
    this.sent.add(result);
    result.then(
      () => {
        this.sent.delete(result);
        this.onResponse();
      },
      (error) => {
        this.sent.delete(result);
        this.failure ??= error;
      },
    );
    return result;
  }

  /**
   * Commits the transaction. @throws the failure of any statement: PostgreSQL then turns COMMIT into a rollback
   * without an error
   */
  async commit(): Promise<void> {
    this.isOver = true;
    if (!this.isBegun) return;
    this.track("COMMIT", []);
    await this.settled();
    this.isBegun = false;
    if (this.failure !== null) throw this.failure;
  }

  /** Rolls the transaction back. Never fails: if ROLLBACK fails, the connection is closed. */
  async rollback(reason: unknown): Promise<void> {
    this.isOver = true;
    if (!this.isBegun || isConnectionLost(reason)) return this.settled();
    this.track("ROLLBACK", []).catch(() => this.connection.close());
    await this.settled();
  }

  private async settled(): Promise<void> {
    while (this.sent.size > 0) await Promise.allSettled(this.sent);
  }
}

/**
 * Rejects values that the client cannot serialize. The client would fail only after the other statements were sent,
 * and those would be committed.
 */
function assertSendable(value: unknown): void {
  if (typeof value === "symbol" || typeof value === "function")
    throw new TypeError("No value for a statement");
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (value instanceof Date) value.toISOString();
  else if (Array.isArray(value)) value.forEach(assertSendable);
  else JSON.stringify(value);
}
