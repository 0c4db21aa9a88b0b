import { Group, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { dictionary, useTexts } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/organization-shared.ts";
import * as en from "../../texts/en/organization-shared.ts";
import { useLabels } from "../../ui/labels.ts";

const grantTexts = dictionary(en.grantTexts, el.grantTexts);

const SHOWN = 3;

/** Role assignments as badges. A role in a unit is shown with the unit's name. */
export function Grants({ of: assignments, all = false }: { of: Schemas["Assignment"][]; all?: boolean }) {
  const texts = useTexts(grantTexts);
  const { number } = useFormat();
  const words = useLabels();
  const shown = all ? assignments : assignments.slice(0, SHOWN);
  return (
    <Group gap={6} className="grants">
      {shown.map(({ role, unit }) => {
        const text = words.grant(role.name, unit?.name ?? null);
        return (
          <span
            key={`${role.id} ${unit?.id}`}
            className="tag"
            data-tone={role.name.endsWith("_ADMIN") ? "info" : undefined}
          >
            {text}
          </span>
        );
      })}
      {assignments.length > shown.length && (
        <Text size="xs" c="dimmed">
          {texts.more(number(assignments.length - shown.length))}
        </Text>
      )}
    </Group>
  );
}
