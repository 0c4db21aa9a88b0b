import { Group } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { grantTexts } from "../../texts/organization-shared.ts";
import { Hint } from "../../ui/hint.tsx";
import { useLabels } from "../../ui/labels.ts";

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
        <Hint size="xs">{texts.more(number(assignments.length - shown.length))}</Hint>
      )}
    </Group>
  );
}
