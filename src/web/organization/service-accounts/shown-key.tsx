import { Code, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { apiUrl } from "../../lib/environment.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { keyTexts } from "./texts.ts";

type Props = {
  readonly of: Schemas["NewApiKey"] | null;
  /** The previous key, which the new key replaces. */
  readonly replaced: Schemas["ApiKey"] | undefined;
  readonly onKept: () => void;
};

export function ShownKey({ of: created, replaced, onKept }: Props) {
  const texts = useTexts(keyTexts);
  const { href } = new URL(`${apiUrl}/api/service-accounts/self`, location.origin);
  return (
    <ShownOnce texts={texts} label={texts.key} secret={created?.key} onKept={onKept}>
      {typeof created?.key === "string" && (
        <>
          {/* The example command contains a variable, because a pasted key would stay in the shell's history. */}
          <Text size="sm">{texts.tryIt}</Text>
          <Code className="break">{`curl -H "Authorization: Bearer $API_KEY" ${href}`}</Code>
        </>
      )}
      {replaced !== undefined && <Old of={replaced} />}
    </ShownOnce>
  );
}

function Old({ of: { status, expiresAt } }: { of: Schemas["ApiKey"] }) {
  const texts = useTexts(keyTexts);
  const { dateTime } = useFormat();
  return (
    <Text size="sm">
      {status === "ROTATED" && expiresAt !== null ? texts.oldUntil(dateTime(expiresAt)) : texts.oldEnded}
    </Text>
  );
}
