import { Group, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { dictionary, useTexts } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/organization-shared.ts";
import * as en from "../../texts/en/organization-shared.ts";

const limitTexts = dictionary(en.limitTexts, el.limitTexts);

/** Shows the limits of the plan and their usage as bars. */
export function Limits({ of: limits }: { of: Schemas["Billing"]["limits"] }) {
  const texts = useTexts(limitTexts);
  const { number } = useFormat();
  return (
    <Stack gap="sm">
      {limits.map(({ name, label, limit, used }) => {
        const isFull = limit !== null && used >= limit;
        const text = limit === null ? texts.unlimited(number(used)) : texts.of(number(used), number(limit));
        return (
          <div key={name}>
            <Group justify="space-between" gap="xs" mb={4}>
              <Text size="sm">{label}</Text>
              <Text size="sm" c={isFull ? "var(--mantine-color-error)" : "dimmed"}>
                {text}
              </Text>
            </Group>
            {limit !== null && (
              <progress
                aria-label={label}
                value={isFull ? 1 : used}
                max={isFull ? 1 : limit}
                data-full={isFull || undefined}
              />
            )}
            {isFull && (
              <Text size="xs" c="dimmed" mt={2}>
                {texts.full}
              </Text>
            )}
          </div>
        );
      })}
    </Stack>
  );
}
