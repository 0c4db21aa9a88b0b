import { Group, Pagination, Text } from "@mantine/core";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { type List, PAGE_SIZE } from "../lib/list.ts";
import { listTexts } from "../texts/list.ts";

/** The pages of a list; nothing if it has only one page. */
export function Pages<Row>({ list }: { list: Pick<List<Row>, "rows" | "total" | "search" | "show"> }) {
  const texts = useTexts(listTexts);
  const { number } = useFormat();
  const { page = 1 } = list.search;
  const pages = Math.ceil(list.total / PAGE_SIZE);
  if (list.rows === undefined || pages <= 1) return null;
  const first = (page - 1) * PAGE_SIZE;
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {texts.rows(number(first + 1), number(first + list.rows.length), number(list.total))}
      </Text>
      <Pagination
        component="nav"
        aria-label={texts.pages}
        total={pages}
        value={page}
        onChange={(next: number) => list.show({ page: next })}
        getItemProps={(item: number) => ({ "aria-label": texts.page(number(item)) })}
        getControlProps={(control: string) => ({
          "aria-label": control === "previous" ? texts.previous : texts.next,
        })}
      />
    </Group>
  );
}
