import { Button } from "@mantine/core";
import type { Ref } from "react";
import { useApiQuery } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "../texts/shell.ts";
import { Avatar } from "../ui/avatar.tsx";
import type { TriggerProps } from "./on-demand.tsx";

type Props = TriggerProps & { readonly loading?: boolean; readonly ref?: Ref<HTMLButtonElement> };

export function AccountButton(button: Props) {
  const texts = useTexts(shellTexts);
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  const name = profile === undefined ? texts.account : `${profile.firstName} ${profile.lastName}`;
  return (
    <Button
      variant="subtle"
      color="gray"
      justify="flex-start"
      className="account-button"
      leftSection={<Avatar name={name} id={profile?.id ?? ""} size={28} />}
      {...button}
    >
      <span className="wide-visible ellipsis">{name}</span>
    </Button>
  );
}
