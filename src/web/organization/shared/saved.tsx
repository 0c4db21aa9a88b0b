import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTexts } from "../../lib/i18n.tsx";
import { savedTexts } from "../../texts/organization-shared.ts";

/**
 * Returns values for a form that stays visible after it was saved. `note` confirms that it was saved. `version` is
 * the key of the form: it resets the form to the saved values, but only after saving, so that a refetch does not
 * discard typed text.
 */
export function useSavedNote(): { note: ReactNode; version: number; onSaved: () => void } {
  const texts = useTexts(savedTexts);
  const [version, setVersion] = useState(0);
  return {
    note: (
      <Text size="sm" role="status" c="dimmed">
        {version > 0 && texts.saved}
      </Text>
    ),
    version,
    onSaved: () => setVersion((now) => now + 1),
  };
}
