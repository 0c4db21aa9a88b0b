import { Button, Menu, useMantineColorScheme } from "@mantine/core";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "./texts.ts";

/** The menu of one's own account. */
export default function UserMenu() {
  const texts = useTexts(shellTexts);
  const client = useClient();
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useAction({ run: client.signOut });
  const name = profile === undefined ? texts.account : `${profile.firstName} ${profile.lastName}`;
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button variant="default" size="xs" maw={240} loading={signOut.isRunning}>
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label={texts.account}>
        <Menu.RadioGroup
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
