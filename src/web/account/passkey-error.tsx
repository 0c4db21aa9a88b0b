import { Alert, Text } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { isUnused } from "../lib/passkeys.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { passkeyTexts } from "./passkey-texts.ts";

/** Like `ErrorAlert`, also for errors of the browser's dialog for passkeys. */
export function PasskeyError({ error }: { error: unknown }) {
  const texts = useTexts(passkeyTexts);
  const isKnown = error instanceof Error && error.name === "InvalidStateError";
  if (!isKnown && !isUnused(error))
    return <ErrorAlert error={error} sentenceOf={{ PASSKEY_EXISTS: texts.exists }} />;
  return (
    <Alert color="yellow" role="alert" variant="outline">
      <Text size="sm">{isKnown ? texts.exists : texts.notUsed}</Text>
    </Alert>
  );
}
