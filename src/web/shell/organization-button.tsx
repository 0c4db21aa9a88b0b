import { Button } from "@mantine/core";
import type { Ref } from "react";
import { useClaims } from "../lib/claims.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Icon } from "../lib/icons.tsx";
import { shellTexts } from "../texts/shell.ts";
import { Avatar } from "../ui/avatar.tsx";
import type { TriggerProps } from "./on-demand.tsx";

type Props = TriggerProps & { readonly ref?: Ref<HTMLButtonElement> };

export function OrganizationButton(button: Props) {
  const texts = useTexts(shellTexts);
  const { organization: current = null } = useClaims();
  return (
    <Button
      variant="subtle"
      color="gray"
      fullWidth
      justify="flex-start"
      className="switcher"
      leftSection={<Avatar name={current?.name ?? "–"} id={current?.id ?? ""} size={28} isSquare />}
      rightSection={<Icon name="chevrons" size={14} />}
      {...button}
    >
      <span className="visually-hidden">{texts.organization}: </span>
      <span className="ellipsis">{current?.name ?? texts.none}</span>
    </Button>
  );
}
