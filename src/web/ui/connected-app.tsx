import { Group, Text } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { connectedAppTexts } from "../texts/connected-apps.ts";
import { Hint } from "./hint.tsx";
import { useScopeLabel } from "./scope-label.ts";

type Props = { readonly of: Pick<Schemas["ConnectedApp"], "client" | "readOnly" | "scopes" | "unit"> };

/** The name of a connected app, with the host by which people recognize it. */
export function AppName({ of: { client, readOnly } }: Props) {
  const texts = useTexts(connectedAppTexts);
  return (
    <div className="break">
      <Group gap="xs">
        <Text fw={600} size="sm">
          {client.name}
        </Text>
        {readOnly && <span className="tag">{texts.readOnly}</span>}
      </Group>
      <Hint size="xs">{client.host ?? texts.registered}</Hint>
    </div>
  );
}

/** What a connected app may do, in words. */
export function AppScopes({ of: { scopes } }: Props) {
  const labelOf = useScopeLabel();
  const { list } = useFormat();
  return <>{list(scopes.map((name) => labelOf(name)))}</>;
}

/** Where a connected app may act. */
export function AppPlace({ of: { unit } }: Props) {
  const texts = useTexts(connectedAppTexts);
  return <>{unit === null ? texts.whole : texts.unitAndBelow(unit.name)}</>;
}
