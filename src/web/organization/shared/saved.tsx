import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { dictionary, useTexts } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/organization-shared.ts";
import * as en from "../../texts/en/organization-shared.ts";

const savedTexts = dictionary(en.savedTexts, el.savedTexts);

/**
 * For a form that stays after it was saved: `note` says so, and `version` as the form's key makes it begin again with
 * what was saved, and only then: what somebody is typing survives a reload of the data.
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
