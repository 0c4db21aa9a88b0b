import { Menu, useMantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "../texts/shell.ts";
import { menuTexts } from "../texts/shell-menus.ts";
import { AccountButton } from "./account-button.tsx";
import { useOpenOnMount } from "./on-demand.tsx";

const PAGES = [
  ["/profile", "profile"],
  ["/profile/security", "security"],
  ["/profile/sessions", "sessions"],
] as const;

export default function AccountMenu() {
  const texts = useTexts(menuTexts);
  const shell = useTexts(shellTexts);
  const client = useClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useAction({ run: client.signOut });
  const [isOpen, setOpen] = useState(false);
  const target = useOpenOnMount(() => setOpen(true));
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <AccountButton ref={target} loading={signOut.isRunning} />
      </Menu.Target>
      <Menu.Dropdown aria-label={shell.account}>
        {PAGES.map(([to, page]) => (
          <Menu.Item key={to} component={Link} to={to}>
            {texts[page]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{texts.theme}</Menu.Label>
        <Menu.RadioGroup
          aria-label={texts.theme}
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
        >
          {(["light", "dark", "auto"] as const).map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {texts[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => signOut.run()}>{texts.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
