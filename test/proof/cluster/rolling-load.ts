import type { Inbox } from "../../../src/dev/inbox.ts";
import { until } from "../../support/cluster.ts";
import { type HttpResponse, send } from "../world/requests.ts";
import { PASSWORD } from "../world/world.ts";

/*
 * Sends the requests of clients during a rolling update: a constant number per second, regardless of the responses.
 */

/** nginx replaces this address by its own. */
const ADDRESS = "192.0.2.1";
const ACCOUNTS = 30;
const MAIL_SECONDS = 180;

type Account = { email: string; token: string; cookie: string; refreshing: boolean };

export class Traffic {
  requests = 0;
  readonly failures: string[] = [];
  /** The addresses whose registration succeeded, and which must get a mail. */
  readonly registered: string[] = [];
  private readonly accounts: Account[] = [];
  private readonly open = new Set<Promise<unknown>>();
  private timer: Timer | undefined;
  private slowestMs = 0;

  constructor(
    private readonly url: string,
    private readonly inbox: Inbox,
    private readonly perSecond: number,
  ) {}

  /** Registers and signs in some accounts, each with an organization. */
  async prepare(): Promise<void> {
    for (let index = 0; index < ACCOUNTS; index += 1) {
      const email = await this.register();
      this.stopOnFailure();
      const link = await until(() => this.inbox.mailsTo(email)[0]?.links[0] ?? null);
      await this.post("/api/auth/verify-email", 204, { token: new URL(link).searchParams.get("token") });
      const account = { email, token: "", cookie: "", refreshing: false };
      await this.signIn(account);
      await this.post("/api/auth/organizations", 201, { name: `Acme ${index}` }, account);
      await this.refresh(account);
      this.accounts.push(account);
    }
    this.stopOnFailure();
  }

  private stopOnFailure() {
    if (this.failures.length > 0) throw new Error(this.failures.join("\n"));
  }

  start(): void {
    let number = 0;
    const since = performance.now();
    this.timer = setInterval(() => {
      // Sends all requests that are due, so that a late timer does not lower the rate.
      while ((number * 1000) / this.perSecond < performance.now() - since) {
        const sent = this.next(number++);
        this.open.add(sent);
        void sent.finally(() => this.open.delete(sent));
      }
    }, 1000 / this.perSecond);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.open);
  }

  /**
   * Returns the registered addresses that have no mail after a while, and the number of mails that were sent twice.
   */
  async missingMails() {
    const missing = () => this.registered.filter((email) => this.inbox.mailsTo(email).length === 0);
    await until(() => (missing().length === 0 ? true : null), { seconds: MAIL_SECONDS }).catch(() => {});
    return { missing: missing(), repeated: this.inbox.mails.length - this.registered.length };
  }

  summary(): string {
    const { requests, failures } = this;
    return `${requests} requests, ${failures.length} failed, the slowest ${Math.round(this.slowestMs)} ms`;
  }

  /** Returns the number of failures of each kind. */
  failuresByKind(): string[] {
    const counts = new Map<string, number>();
    for (const failure of this.failures) counts.set(failure, (counts.get(failure) ?? 0) + 1);
    return [...counts].map(([failure, count]) => `${count} times ${failure}`);
  }

  private next(number: number): Promise<unknown> {
    const account = this.accounts[number % ACCOUNTS] as Account;
    if (number % 100 === 0) return this.register();
    if (number % 200 === 33) return this.signIn({ ...account });
    if (number % 100 === 66) return this.refresh(account);
    if (number % 20 === 1) return this.post("/api/todos", 201, { title: `Todo ${number}` }, account);
    const paths = ["/api/profile", "/api/auth/organizations", "/api/todos", "/api/notifications"];
    return this.send("GET", paths[number % paths.length] ?? "", 200, { account });
  }

  private async register(): Promise<string> {
    const email = `rolling-${crypto.randomUUID()}@example.com`;
    const body = { email, password: PASSWORD, firstName: "Ada", lastName: "Lovelace" };
    if ((await this.post("/api/auth/register", 202, body)) !== null) this.registered.push(email);
    return email;
  }

  private async signIn(account: Account): Promise<void> {
    const { email } = account;
    await this.take(account, await this.post("/api/auth/login", 200, { email, password: PASSWORD }));
  }

  private async refresh(account: Account): Promise<void> {
    if (account.refreshing) return;
    account.refreshing = true;
    await this.take(account, await this.post("/api/auth/refresh", 200, undefined, account));
    account.refreshing = false;
  }

  private async take(account: Account, response: HttpResponse | null): Promise<void> {
    if (response === null) return;
    account.token = String(response.body.accessToken);
    account.cookie = response.cookie ?? "";
  }

  private post(path: string, status: number, body?: unknown, account?: Account) {
    return this.send("POST", path, status, { body, account });
  }

  /** Checks a response. Returns null if it is not the expected one. */
  private async send(
    method: string,
    path: string,
    status: number,
    { body, account }: { body?: unknown; account?: Account | undefined },
  ): Promise<HttpResponse | null> {
    this.requests += 1;
    const since = performance.now();
    const cookie = path.startsWith("/api/auth") ? account?.cookie : null;
    try {
      const credentials = { token: account?.token ?? null, cookie: cookie ?? null };
      const response = await send(this.url, ADDRESS, { method, path, body, ...credentials });
      if (response.status === status) return response;
      this.failures.push(`${method} ${path}: ${response.status} ${response.body.code ?? ""}`);
    } catch (error) {
      this.failures.push(`${method} ${path}: ${error}`);
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - since);
    }
    return null;
  }
}
