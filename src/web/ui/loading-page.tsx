import { Skeleton, Stack } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";

export function LoadingPage() {
  const texts = useTexts(uiTexts);
  return (
    <Stack gap="lg" role="status" aria-label={texts.loading}>
      <Skeleton height={28} width={220} />
      <Skeleton height={36} />
      <Skeleton height={280} />
    </Stack>
  );
}
