import { join } from "node:path";
import { readConfig } from "../app/config.ts";
import { migrateAll } from "../app/migrate.ts";
import { startServer } from "../app/server.ts";
import { clientPages } from "./client-page.ts";
import { DEMO_PASSWORD, demoAccounts, demoProviderProfiles, seedDemoData } from "./demo.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { startInbox } from "./inbox.ts";
import { lockFolder } from "./lock-folder.ts";
import { startPayments } from "./payments.ts";
import { createDatabase, startPostgres } from "./postgres.ts";
import { buildWeb } from "./web/build.ts";

const DATA = join(import.meta.dir, "../../.data");
const DATABASE = "service";
const PAYMENT_SECRET_KEY = "sk_only_for_development";
const PAYMENT_WEBHOOK_SECRET = "whsec_only_for_development";
const IDENTITY_CLIENT = { id: "service", secret: "only-for-development" };

/** Starts everything that the service needs, on this machine alone, with demo data. */
export async function startDevelopment(): Promise<void> {
  const started = performance.now();
  const release = await lockFolder(DATA);
  const postgres = await startPostgres({ dataDir: join(DATA, "postgres") });
  const databaseUrl = await openDatabase(postgres.url);
  await migrateAll(databaseUrl);
  const inbox = await startInbox({ smtpPort: await freePort(2525), webPort: await freePort(8025) });

  const port = await freePort(Number(process.env.PORT || 3000));
  const api = `http://localhost:${port}`;
  const payments = startPayments({
    secretKey: PAYMENT_SECRET_KEY,
    webhookSecret: PAYMENT_WEBHOOK_SECRET,
    webhookUrl: () => `${api}/api/billing/webhook`,
    port: await freePort(4242),
  });
  const identities = await startIdentityProvider({
    client: { ...IDENTITY_CLIENT, redirectUris: [`${api}/api/auth/oidc/demo/callback`] },
    people: demoProviderProfiles,
    port: await freePort(4343),
  });
  const { config, problems } = readConfig({
    // Its secrets and passwords are known to everybody, so nobody else may reach it.
    HOST: "127.0.0.1",
    APP_URL: `http://localhost:${port}`,
    MAIL_FROM: "Demo <no-reply@demo.example>",
    JWT_SECRET: "only-for-development",
    JOBS_ENCRYPTION_KEY: "only-for-development-jobs-0123456789",
    TWO_FACTOR_ENCRYPTION_KEY: "only-for-development-2fa-0123456789",
    STORAGE_DIR: join(DATA, "files"),
    WEB: "on",
    THROTTLE_LIMIT: "60",
    LOG_LEVEL: "warn",
    PAYMENT_SECRET_KEY,
    PAYMENT_WEBHOOK_SECRET,
    PAYMENT_PRICES: "pro:month:price_pro_month,pro:year:price_pro_year,enterprise:year:price_enterprise_year",
    PAYMENT_API_URL: payments.url,
    OIDC_PROVIDERS: "demo",
    OIDC_DEMO_ISSUER: identities.issuer,
    OIDC_DEMO_CLIENT_ID: IDENTITY_CLIENT.id,
    OIDC_DEMO_CLIENT_SECRET: IDENTITY_CLIENT.secret,
    OIDC_DEMO_NAME: "Demo ID",
    DRAIN_SECONDS: "0",
    ...process.env,
    NODE_ENV: "development",
    DATABASE_URL: databaseUrl,
    DATABASE_LISTEN_URL: databaseUrl,
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(inbox.smtpPort),
    PORT: String(port),
  });
  if (config === null) throw new Error(`The environment has bad values:\n${problems.join("\n")}`);
  if (config.web) await buildWeb({ compress: false });
  const running = await startServer(config, config.web ? {} : { pages: clientPages });
  await seedDemoData(running.app);

  console.log(`
  Console   ${config.web ? api : "off"}
  API       ${api}/api
  Explorer  ${api}/api/docs
  Inbox     ${inbox.webUrl}
  Payments  ${payments.url} (stands in for the provider)
  Sign-in   ${api}/api/auth/oidc/demo (by a provider that stands in for Google and the like)
  Database  ${databaseUrl}

  Demo accounts, all with the password "${DEMO_PASSWORD}":
${demoAccounts.map(({ email, about }) => `    ${email.padEnd(22)} ${about}`).join("\n")}

  Ready in ${((performance.now() - started) / 1000).toFixed(1)} s. Ctrl-C stops everything; the data stays in .data.
`);

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await running.stop();
    await inbox.stop();
    await payments.stop();
    await identities.stop();
    await postgres.stop();
    await release();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop());
}

/** The database of the demo, made at the first start. */
async function openDatabase(url: string): Promise<string> {
  return createDatabase(url, DATABASE).catch((error) => {
    if (error.code !== "42P04") throw error;
    return Object.assign(new URL(url), { pathname: `/${DATABASE}` }).href;
  });
}

/** The wanted port, or the next that nothing listens on. */
async function freePort(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 50; port += 1) {
    try {
      await Bun.listen({ hostname: "0.0.0.0", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      if (port > wanted) continue;
      console.warn(`Port ${port} is taken, trying the next.`);
    }
  }
  throw new Error(`No free port from ${wanted} on`);
}
