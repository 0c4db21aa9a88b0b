import { join } from "node:path";
import { buildClient, packClient } from "./client/build.ts";
import { DEMO_PASSWORD, demoAccounts, demoJson, demoProviderProfiles } from "./demo.ts";
import { endpointSecrets } from "./endpoint-secrets.ts";
import {
  developmentEnvironment,
  IDENTITY_CLIENT,
  PAYMENT_SECRET_KEY,
  PAYMENT_WEBHOOK_SECRET,
} from "./environment.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { startInbox } from "./inbox.ts";
import { lockFolder } from "./lock-folder.ts";
import { migrateDevelopment } from "./migrate.ts";
import { startPayments } from "./payments.ts";
import { createDatabase, startPostgres } from "./postgres.ts";
import { hookUrl, startReceiver } from "./receiver.ts";
import { reloadOnChange } from "./reload.ts";
import { startReloadingService } from "./reloading-service.ts";
import { serveHotConsole } from "./web/hot.ts";

const DATA = join(import.meta.dir, "../../.data");
const DATABASE = "service";

/** Starts everything that the service needs on this machine, with demo data, and reloads when a source file changes. */
export async function startDevelopment(): Promise<void> {
  const started = performance.now();
  const release = await lockFolder(DATA);
  const postgres = await startPostgres({ dataDir: join(DATA, "postgres") });
  const databaseUrl = await openDatabase(postgres.url);
  await migrateDevelopment(databaseUrl);
  const inbox = await startInbox({ smtpPort: await freePort(2525), webPort: await freePort(8025) });

  const port = await freePort(Number(process.env.PORT || 3000));
  const servicePort = await freePort(port + 1);
  const url = `http://localhost:${port}`;
  const serviceUrl = `http://127.0.0.1:${servicePort}`;
  const payments = startPayments({
    secretKey: PAYMENT_SECRET_KEY,
    webhookSecret: PAYMENT_WEBHOOK_SECRET,
    webhookUrl: () => `${url}/api/billing/webhook`,
    port: await freePort(4242),
  });
  const identities = await startIdentityProvider({
    client: { ...IDENTITY_CLIENT, redirectUris: [`${url}/api/auth/oidc/demo/callback`] },
    people: demoProviderProfiles,
    port: await freePort(4343),
  });
  const receiverPort = await freePort(8035);
  const { environment, config } = developmentEnvironment({
    url,
    port: servicePort,
    databaseUrl,
    smtpPort: inbox.smtpPort,
    paymentsUrl: payments.url,
    issuer: identities.issuer,
    receiverUrl: hookUrl(receiverPort),
    dataFolder: DATA,
  });
  const receiver = startReceiver({ port: receiverPort, secretsOf: endpointSecrets(databaseUrl, config) });
  const service = startReloadingService(environment);
  const console_ = await serveHotConsole({
    port,
    serviceUrl,
    service,
    folder: join(DATA, "dev"),
    demoAccounts: demoJson(),
  });
  if (!(await service.ready()))
    console.error("The service did not start. A change of a file starts it again.");
  const stopReloading = reloadOnChange({ service, databaseUrl });

  // The client is built in the background, because that takes seconds and few developers need it.
  void buildClient()
    .then(() => packClient())
    .catch((error) => console.warn(`The package of the client was not built: ${error.message}`));

  console.log(`
  Console   ${url}
  API       ${url}/api
  Explorer  ${url}/api/docs
  Inbox     ${inbox.webUrl}
  Webhooks  ${receiver.webUrl} (receives the events of Acme)
  Payments  ${payments.url} (mock of the payment provider)
  Sign-in   ${url}/api/auth/oidc/demo (mock of an OpenID provider)
  Database  ${databaseUrl}

  Demo accounts, all with the password "${DEMO_PASSWORD}":
${demoAccounts.map(({ email, about }) => `    ${email.padEnd(22)} ${about}`).join("\n")}

  Ready in ${((performance.now() - started) / 1000).toFixed(1)} s. Changes in src, sql and migrations take effect at once.
  Ctrl-C stops everything; the data stays in .data.
`);

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    stopReloading();
    await console_.stop();
    await service.stop();
    await inbox.stop();
    await receiver.stop();
    await payments.stop();
    await identities.stop();
    await postgres.stop();
    await release();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // Vite's own listener would end the process before the database has stopped.
    process.removeAllListeners(signal);
    process.on(signal, () => void stop());
  }
}

/** Returns the demo's database. The first start creates it. */
async function openDatabase(url: string): Promise<string> {
  return createDatabase(url, DATABASE).catch((error) => {
    if (error.code !== "42P04") throw error;
    return Object.assign(new URL(url), { pathname: `/${DATABASE}` }).href;
  });
}

/** Returns the given port, or the next one that is free. */
async function freePort(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 50; port += 1) {
    try {
      await Bun.listen({ hostname: "0.0.0.0", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      if (port > wanted) continue;
      console.warn(`Port ${port} is in use, trying the next.`);
    }
  }
  throw new Error(`No free port from ${wanted} on`);
}
