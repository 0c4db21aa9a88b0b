import { Alert, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { authorizeTexts } from "../../texts/authorize.ts";
import { Hint } from "../../ui/hint.tsx";

/** Who asks, and which host gets the access, with what a person should know before they decide. */
export function AppCard({ of: request }: { of: Schemas["AuthorizationRequest"] }) {
  const texts = useTexts(authorizeTexts);
  const { client, redirectHost, loopback, otherSite } = request;
  const registered = client.source === "operator" ? texts.operatorApp : texts.organizationApp;
  const isDocument = client.source === "document";
  const warnings = [
    loopback && texts.loopback,
    otherSite && texts.otherSite,
    isDocument && texts.anybody(client.host ?? client.id),
  ].filter((text) => text !== false);
  return (
    <>
      <div className="break">
        <Text fw={600}>{client.name}</Text>
        <Hint>{client.host ?? (isDocument ? client.id : registered)}</Hint>
        <Text mt="xs">
          {texts.accessGoesTo} <b>{redirectHost}</b>
        </Text>
      </div>
      {warnings.map((text) => (
        <Alert key={text} color="yellow" variant="outline" className="alert-text" p="xs">
          <Text size="sm" className="break">
            {text}
          </Text>
        </Alert>
      ))}
    </>
  );
}
