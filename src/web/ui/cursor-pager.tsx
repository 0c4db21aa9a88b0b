import { Button, Group } from "@mantine/core";
import type { useCursors } from "../lib/cursors.ts";

type Props = {
  readonly cursors: ReturnType<typeof useCursors>;
  /** The current page; undefined until it is loaded. */
  readonly page: { readonly cursor: string; readonly hasMore: boolean } | undefined;
  /** Whether the previous page is still shown while the next one is loaded. */
  readonly isPlaceholderData: boolean;
  readonly texts: { readonly back: string; readonly next: string };
};

export function CursorPager({ cursors, page, isPlaceholderData, texts }: Props) {
  return (
    <Group justify="flex-end" mt="sm">
      {!cursors.isFirst && (
        <Button size="xs" variant="default" onClick={cursors.back}>
          {texts.back}
        </Button>
      )}
      {page?.hasMore && (
        <Button
          size="xs"
          variant="default"
          disabled={isPlaceholderData}
          onClick={() => cursors.next(page.cursor)}
        >
          {texts.next}
        </Button>
      )}
    </Group>
  );
}
