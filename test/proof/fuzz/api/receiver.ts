import { verifyWebhook, type WebhookEvent } from "../../../../src/client/webhooks.ts";
import { webhookCipher } from "../../../../src/features/webhooks/secret.ts";
import type { Service } from "../../../support/service.ts";
import { deliver, startReceiver as listen, type Received } from "../../../support/webhooks.ts";
import type { Finding } from "./exchange.ts";
import type { Fixture } from "./fixture.ts";
import { MARKER } from "./organization.ts";

/*
 * Receives the webhooks of all organizations, and refuses some. What is pushed to an organization is about this organization:
 * signed with a secret of one of its endpoints, and without a secret word of another one, of notes or of messages.
 */

export type Receiver = {
  url: string;
  /** Sends all webhooks that are due, and returns a finding about those that arrived. */
  check(fixture: Fixture): Promise<Finding | null>;
  stop(): Promise<void>;
};

/** One in so many webhooks is refused. */
const REFUSED_ONE_IN = 7;

/** Starts the receiver of a service under test. */
export function startReceiver(t: Service): Receiver {
  const { url, received, stop } = listen((_, count) =>
    count % REFUSED_ONE_IN === 0 ? new Response("Try again", { status: 503 }) : new Response("ok"),
  );
  return {
    url,
    stop,
    async check(fixture) {
      await deliver(t);
      for (const one of received.splice(0)) {
        const problem = await problemOf(t, fixture, one);
        if (problem !== null)
          return { kind: "leak", what: `A webhook ${problem}:\n    ${one.body.slice(0, 600)}` };
      }
      return null;
    },
  };
}

async function problemOf(
  t: Service,
  { organizations }: Fixture,
  { headers, body }: Received,
): Promise<string | null> {
  const { organizationId } = JSON.parse(body) as WebhookEvent;
  const rows = await t.sql<{ secret: string }>(
    `SELECT unnest(ARRAY[secret, previous_secret]) AS secret FROM webhook_endpoints
     WHERE organization_id = $1 AND secret <> ''`,
    [organizationId],
  );
  const secrets = rows.flatMap(({ secret }) =>
    secret === null ? [] : [webhookCipher(t.running.app).decrypt(secret) as string],
  );
  const isSigned = await verifyWebhook({ secrets, headers, body }).catch(() => null);
  // An endpoint that was deleted meanwhile has no secret any more.
  if (isSigned === null && secrets.length > 0) return "is not signed for its organization";
  const organization = Object.values(organizations).find(({ id }) => id === organizationId);
  if (organization === undefined) return null;
  const foreign = [...body.matchAll(MARKER)].find(([marker]) => marker !== organization.marker);
  return foreign === undefined ? null : `contains ${foreign[0]}`;
}
