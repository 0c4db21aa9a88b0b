import { Checkbox, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { authorizeTexts } from "../../texts/authorize.ts";
import { Hint } from "../../ui/hint.tsx";
import { useScopeLabel } from "../../ui/scope-label.ts";
import type { ChoiceProps, OrganizationOfRequest } from "./choice.ts";

type Scope = Schemas["AuthorizationRequest"]["scopes"][number];
type Props = ChoiceProps & {
  readonly of: Schemas["AuthorizationRequest"];
  readonly organization: OrganizationOfRequest;
};

/** The fields for what the app may do: what only reads is chosen at first, what changes something never. */
export function ScopeFields({ of: { scopes }, organization, ...props }: Props) {
  const texts = useTexts(authorizeTexts);
  const held = scopes.filter(({ name }) => organization.scopes.includes(name));
  const [read, write] = [held.filter((scope) => !scope.write), held.filter((scope) => scope.write)];
  if (held.length === 0) return <Text size="sm">{texts.nothingHeld}</Text>;
  return (
    <>
      {read.length > 0 && <Group title={texts.see} scopes={read} {...props} />}
      {write.length > 0 && <Group title={texts.change} about={texts.changeAbout} scopes={write} {...props} />}
    </>
  );
}

type GroupProps = ChoiceProps & {
  readonly title: string;
  readonly about?: string;
  readonly scopes: readonly Scope[];
};

function Group({ title, about, scopes, choice, onChange }: GroupProps) {
  const labelOf = useScopeLabel();
  const toggle = (name: string, isChosen: boolean) => {
    const others = choice.scopes.filter((other) => other !== name);
    onChange({ ...choice, scopes: isChosen ? [...others, name] : others });
  };
  return (
    <fieldset className="panel fields">
      <legend>{title}</legend>
      <Stack gap="xs">
        {about !== undefined && <Hint>{about}</Hint>}
        {scopes.map(({ name, description }) => (
          <Checkbox
            key={name}
            label={labelOf(name, description)}
            checked={choice.scopes.includes(name)}
            onChange={({ currentTarget }) => toggle(name, currentTarget.checked)}
          />
        ))}
      </Stack>
    </fieldset>
  );
}
