import { Group, Progress, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { dictionary, useTexts } from "../../lib/i18n.tsx";

const limitTexts = dictionary(
  {
    of: (used: string, limit: string) => `${used} of ${limit}`,
    unlimited: (used: string) => `${used}, unlimited`,
    full: "The limit is reached: nothing more can be added.",
  },
  {
    of: (used, limit) => `${used} από ${limit}`,
    unlimited: (used) => `${used}, χωρίς όριο`,
    full: "Το όριο συμπληρώθηκε: δεν μπορεί να προστεθεί τίποτα.",
  },
);

/** What the plan allows, and how much of it is used, as bars. */
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
              <Progress.Root size="md">
                <Progress.Section
                  value={limit === 0 ? 100 : Math.min((100 * used) / limit, 100)}
                  color={isFull ? "red" : undefined}
                  aria-label={label}
                />
              </Progress.Root>
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
