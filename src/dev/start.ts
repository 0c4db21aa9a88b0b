import { join } from "node:path";
import { ofProcess } from "../app/features.ts";
import { botCheckOrigin } from "../features/front-door/turnstile.ts";
import { startAgent } from "./agent/start.ts";
import { startBotCheck } from "./bot-check.ts";
import { buildClient, packClient } from "./client/build.ts";
import { DEMO_PASSWORD, demoAccounts, demoJson, demoProviderProfiles } from "./demo.ts";
import { endpointSecrets } from "./endpoint-secrets.ts";
import {
  developmentEnvironment,
  IDENTITY_CLIENT,
  PAYMENT_SECRET_KEY,
  PAYMENT_WEBHOOK_SECRET,
} from "./environment.ts";
import { freePort } from "./free-port.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { startInbox } from "./inbox.ts";
import { lockFolder } from "./lock-folder.ts";
import { migrateDevelopment } from "./migrate.ts";
import { startPayments } from "./payments.ts";
import { servePlain } from "./plain.ts";
import { createDatabase, startPostgres } from "./postgres.ts";
import type { DevelopmentProduct } from "./product.ts";
import { startRangeService } from "./range-service.ts";
import { hookUrl, startReceiver } from "./receiver.ts";
import { reloadOnChange } from "./reload.ts";
import { startReloadingService } from "./reloading-service.ts";
import { startSignOn } from "./sso/start.ts";
import { serveHotConsole } from "./web/hot.ts";

const DATABASE = "service";
/** The password that the mock of a range service lists. */
const BREACHED_PASSWORD = "correct horse battery";

type Options = {
  /** The folder of database and files. */
  data: string;
  port: number;
  /** Whether the port was asked for: the other parts then take those after it, so that several services start beside each other. */
  isPortGiven: boolean;
  /** The address of console, API and product. */
  url: string;
  product: DevelopmentProduct | null;
  hasConsole: boolean;
};

/** Starts everything that the service needs on this machine, with demo data, and reloads when a source file changes. */
export async function startDevelopment(options: Options): Promise<void> {
  const { data, port, url, product, hasConsole } = options;
  const started = performance.now();
  const portOf = (usual: number, offset: number) => (options.isPortGiven ? port + offset : usual);
  if (ofProcess.faults.length > 0) throw new Error(ofProcess.faults.join("\n"));
  const release = await lockFolder(data);
  const postgres = await startPostgres({ dataDir: join(data, "postgres") });
  const databaseUrl = await openDatabase(postgres.url);
  await migrateDevelopment(databaseUrl);
  const inbox = await startInbox({
    smtpPort: await freePort(portOf(2525, 2)),
    webPort: await freePort(portOf(8025, 3)),
  });

  const servicePort = await freePort(port + 1);
  const serviceUrl = `http://127.0.0.1:${servicePort}`;
  const payments = startPayments({
    secretKey: PAYMENT_SECRET_KEY,
    webhookSecret: PAYMENT_WEBHOOK_SECRET,
    webhookUrl: () => `${url}/api/billing/webhook`,
    port: await freePort(portOf(4242, 4)),
  });
  const identities = await startIdentityProvider({
    client: { ...IDENTITY_CLIENT, redirectUris: [`${url}/api/auth/oidc/demo/callback`] },
    people: demoProviderProfiles,
    port: await freePort(portOf(4343, 5)),
  });
  const receiverPort = await freePort(portOf(8035, 6));
  const signOn = await startSignOn({
    url,
    databaseUrl,
    ports: {
      entra: await freePort(portOf(4344, 9)),
      okta: await freePort(portOf(4345, 10)),
      dns: await freePort(portOf(5354, 11)),
      dnsPage: await freePort(portOf(8053, 12)),
    },
  });
  const agent = startAgent({ serviceUrl: url, port: await freePort(portOf(8036, 13)) });
  const range = startRangeService({
    listed: new Map([[BREACHED_PASSWORD, 1]]),
    port: await freePort(portOf(4353, 7)),
  });
  const botCheck = startBotCheck({ port: await freePort(portOf(4363, 8)) });
  const { environment, config } = developmentEnvironment({
    url,
    port: servicePort,
    databaseUrl,
    smtpPort: inbox.smtpPort,
    paymentsUrl: payments.url,
    issuer: identities.issuer,
    receiverUrl: hookUrl(receiverPort),
    dnsServer: signOn.dns.address,
    provider: signOn.provider,
    rangeUrl: range.url,
    botCheckUrl: botCheck.url,
    dataFolder: data,
  });
  const receiver = startReceiver({ port: receiverPort, secretsOf: endpointSecrets(databaseUrl, config) });
  const service = startReloadingService(environment);
  const folder = join(data, "dev");
  const served = hasConsole
    ? await serveHotConsole({
        ...{ port, serviceUrl, service, folder, demoAccounts: demoJson(), product },
        botCheck: config.botCheck === null ? "" : botCheckOrigin(config.botCheck),
      })
    : servePlain({ port, serviceUrl, product });
  if (!(await service.ready()))
    console.error("The service did not start. A change of a file starts it again.");
  const dnsUrl = await signOn.showDns(config);
  const stopReloading = reloadOnChange({ service, databaseUrl });

  // The client is built in the background, because that takes seconds and few developers need it.
  void buildClient()
    .then(() => packClient())
    .catch((error) => console.warn(`The package of the client was not built: ${error.message}`));

  const pages =
    product === null
      ? ""
      : `\n  Product   ${url}${product.path} (${product.at === null ? "not forwarded: give --product-at URL" : `at ${product.at}`})`;
  console.log(`
  Console   ${hasConsole ? url : "none"}${pages}
  API       ${url}/api
  Explorer  ${url}/api/docs
  Inbox     ${inbox.webUrl}
  Webhooks  ${receiver.webUrl} (receives the events of Acme)
  Agent     ${agent.url} (stand-in for an agent that connects to ${url}/mcp)
  Payments  ${payments.url} (mock of the payment provider)
  Sign-in   ${url}/api/auth/oidc/demo (mock of an OpenID provider)
  Companies ${signOn.entra.issuer} (mock of a provider like Entra), ${signOn.okta.issuer} (like Okta)
  DNS       ${dnsUrl} (mock of DNS for domains)
  Breaches  ${range.url} (mock of a range service; it lists "${BREACHED_PASSWORD}")
  Bot check ${config.botCheck === null ? "off; on with BOT_CHECK=turnstile" : "on, by a mock"}
  Database  ${databaseUrl}

  Demo accounts, all with the password "${DEMO_PASSWORD}":
${demoAccounts.map(({ email, about }) => `    ${email.padEnd(22)} ${about}`).join("\n")}

  Ready in ${((performance.now() - started) / 1000).toFixed(1)} s. Changes in src, sql and migrations take effect at once.
  Ctrl-C stops everything; the data stays in ${data}.
`);
  if (product !== null) {
    const accounts = demoAccounts.map(({ email }) => ({ email, password: DEMO_PASSWORD }));
    const addresses = { url, inbox: inbox.webUrl, payments: payments.url, database: databaseUrl };
    console.log(JSON.stringify({ ...addresses, key: product.key, accounts }));
  }

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    stopReloading();
    await served.stop();
    await service.stop();
    await inbox.stop();
    await receiver.stop();
    await agent.stop();
    await payments.stop();
    await identities.stop();
    await signOn.stop();
    await range.stop();
    await botCheck.stop();
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
