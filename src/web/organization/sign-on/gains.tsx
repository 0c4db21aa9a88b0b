import { List, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { groupTexts } from "./group-texts.ts";

export type Preview = Schemas["SsoMappingPreview"];

/** Who gains a role by a mapping: the people who had the group at their last sign-in. */
export function Gains({ of: { gains, total } }: { of: Preview }) {
  const texts = useTexts(groupTexts);
  const { number } = useFormat();
  return (
    <section aria-label={texts.gains}>
      <Text size="sm" role="status">
        {total === 0 ? texts.nobody : texts.gainsCount(number(total))}
      </Text>
      <List size="sm" mt={4}>
        {gains.map(({ userId, email, holdsAlready }) => (
          <List.Item key={userId} className="break">
            {email}
            {holdsAlready && ` (${texts.already})`}
          </List.Item>
        ))}
      </List>
      {gains.length < total && <Text size="sm">{texts.shown(number(gains.length), number(total))}</Text>}
    </section>
  );
}
