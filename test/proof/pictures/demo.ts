import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateAll } from "../../../src/app/migrate.ts";
import { startServer } from "../../../src/app/server.ts";
import { DEMO_PASSWORD, demoProviderProfiles, seedDemoData } from "../../../src/dev/demo.ts";
import { endpointSecrets } from "../../../src/dev/endpoint-secrets.ts";
import {
  developmentEnvironment,
  IDENTITY_CLIENT,
  PAYMENT_SECRET_KEY,
  PAYMENT_WEBHOOK_SECRET,
} from "../../../src/dev/environment.ts";
import { startIdentityProvider } from "../../../src/dev/identity-provider.ts";
import { startInbox } from "../../../src/dev/inbox.ts";
import { startPayments } from "../../../src/dev/payments.ts";
import { freePort } from "../../../src/dev/postgres/launch.ts";
import { createDatabase, startPostgres } from "../../../src/dev/postgres.ts";
import { hookUrl, startReceiver } from "../../../src/dev/receiver.ts";
import { buildWeb } from "../../../src/dev/web/build.ts";
import { Caller } from "../../support/caller.ts";
import { expectStatus } from "../../support/service.ts";
import type { RecordIds, Viewer } from "./pages.ts";

/** Starts the service with the console as in production, a new database and the demo data. */
const NO_CLIENT = { clientId: "none", clientSecret: "none" };

export async function startDemo() {
  const folder = join(process.env.TMPDIR ?? tmpdir(), `pictures-${crypto.randomUUID()}`);
  await buildWeb({ folder, compress: false });
  const postgres = await startPostgres({ dataDir: null, settings: { fsync: "off" } });
  const databaseUrl = await createDatabase(postgres.url, "pictures");
  await migrateAll(databaseUrl);
  const inbox = await startInbox({ webPort: null });
  const port = freePort();
  const url = `http://localhost:${port}`;
  const payments = startPayments({
    secretKey: PAYMENT_SECRET_KEY,
    webhookSecret: PAYMENT_WEBHOOK_SECRET,
    webhookUrl: () => `${url}/api/billing/webhook`,
  });
  const identities = await startIdentityProvider({
    client: { ...IDENTITY_CLIENT, redirectUris: [`${url}/api/auth/oidc/demo/callback`] },
    people: demoProviderProfiles,
  });
  const receiverPort = freePort();
  const receiverUrl = hookUrl(receiverPort);
  const { config } = developmentEnvironment({
    url,
    port,
    databaseUrl,
    smtpPort: inbox.smtpPort,
    paymentsUrl: payments.url,
    issuer: identities.issuer,
    receiverUrl,
    dnsServer: "127.0.0.1:1",
    provider: { issuer: identities.issuer, ...NO_CLIENT },
    dataFolder: folder,
  });
  const receiver = startReceiver({ port: receiverPort, secretsOf: endpointSecrets(databaseUrl, config) });
  const service = await startServer({ ...config, throttleLimit: 1_000_000 }, { webFolder: folder });
  await seedDemoData(service, { receiverUrl, provider: null });
  return {
    url,
    async stop() {
      await service.stop();
      await Promise.all([inbox.stop(), receiver.stop(), payments.stop(), identities.stop()]);
      await postgres.stop();
    },
  };
}

/** Signs in as a demo account, in a session of its own. */
export async function signIn(url: string, viewer: Viewer): Promise<Caller> {
  const caller = new Caller(url, { email: `${viewer}@demo.example`, password: DEMO_PASSWORD });
  expectStatus(await caller.login(), 200);
  return caller;
}

const HELPDESK = ["Organization.Read", "Units.Read", "Helpdesk.Read", "Helpdesk.ReadOne", "Helpdesk.Reply"];
const TODOS = ["Todos.Read", "Todos.Create", "Todos.Update", "Todos.Delete", "Helpdesk.UpdateStatus"];

/**
 * Adds what the demo has none of, through the API: a role for Bob, and a service account with a key. Returns the ids
 * of the records whose pages are shown.
 */
export async function prepareRecords(url: string): Promise<RecordIds> {
  const ada = await signIn(url, "ada");
  const list = async (path: string) => expectStatus(await ada.get(path), 200).body.data;
  const create = async (path: string, body: object) => expectStatus(await ada.post(path, body), 201).body;
  const find = async (email: string) => (await list(`/api/members?search=${email}`))[0];

  const role = await create("/api/roles", {
    name: "Helpdesk",
    description: "Replies to the tickets of members",
    permissions: [...HELPDESK, ...TODOS],
  });
  const bob = await find("bob@demo.example");
  const grants = { assignments: [{ roleId: role.id }] };
  expectStatus(await ada.patch(`/api/members/${bob.userId}/roles`, grants), 200);
  const serviceAccount = await create("/api/service-accounts", {
    name: "Payroll import",
    description: "Reads new members every night",
    ...grants,
  });
  await create(`/api/service-accounts/${serviceAccount.id}/keys`, { name: "Production" });

  const mia = await signIn(url, "mia");
  const [ownTicket] = (await mia.get("/api/support/tickets")).body.data;
  const [ticket] = await list("/api/organization/helpdesk/tickets?status=IN_PROGRESS");
  const [webhook] = await list("/api/webhooks/endpoints");
  const units = await list("/api/units");
  const uma = await find("uma@demo.example");
  return {
    organization: (await ada.get("/api/organization")).body.id,
    user: uma.userId,
    member: uma.userId,
    role: role.id,
    ticket: ticket.id,
    ownTicket: ownTicket.id,
    unit: units.find(({ name }: { name: string }) => name === "Athens").id,
    serviceAccount: serviceAccount.id,
    webhook: webhook.id,
  };
}
