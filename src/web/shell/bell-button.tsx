import { ActionIcon } from "@mantine/core";
import type { Ref } from "react";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Icon } from "../lib/icons.tsx";
import { shellTexts } from "../texts/shell.ts";
import type { TriggerProps } from "./on-demand.tsx";

const MOST = 99;

type Props = TriggerProps & { readonly unread: number | null; readonly ref?: Ref<HTMLButtonElement> };

export function BellButton({ unread, ...button }: Props) {
  const texts = useTexts(shellTexts);
  const { number } = useFormat();
  const count = unread ?? 0;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={34}
      className="bell"
      aria-label={count > 0 ? texts.unreadCount(number(count)) : texts.notifications}
      {...button}
    >
      <Icon name="bell" />
      {count > 0 && <span className="bell-count">{count > MOST ? `${MOST}+` : number(count)}</span>}
    </ActionIcon>
  );
}
