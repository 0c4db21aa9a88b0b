import { Alert, Text } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { isUnused } from "../lib/passkeys.ts";
import { passkeyTexts } from "../texts/passkeys.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";

/** Like `ErrorAlert`, also for errors of the browser's dialog for passkeys. `isAdding`: a passkey was to be added. */
export function PasskeyError({ error, isAdding = false }: { error: unknown; isAdding?: boolean }) {
  const texts = useTexts(passkeyTexts);
  const sentences = { PASSKEY_EXISTS: texts.exists, ...(isAdding && { INVALID_PASSKEY: texts.notAdded }) };
  const isKnown = error instanceof Error && error.name === "InvalidStateError";
  if (!isKnown && !isUnused(error)) return <ErrorAlert error={error} sentenceOf={sentences} />;
  return (
    <Alert color="yellow" role="alert" variant="outline">
      <Text size="sm">{isKnown ? texts.exists : isAdding ? texts.notAdded : texts.notUsed}</Text>
    </Alert>
  );
}
