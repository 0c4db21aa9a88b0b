import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useCan, useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { uiTexts } from "../../texts/ui.ts";
import { unitTexts } from "../../texts/units.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Hint } from "../../ui/hint.tsx";
import { byId, pathTo } from "../shared/units.ts";
import type { UnitAction } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";
import type { Unit } from "./rows.ts";

type Props = {
  readonly unit: Unit;
  readonly units: readonly Unit[];
  readonly openDialog: (dialog: UnitAction) => void;
  readonly isDeleting: boolean;
  readonly onDelete: (isDeleting: boolean) => void;
};

export function UnitPanel({ unit, units, openDialog, isDeleting, onDelete }: Props) {
  const texts = useTexts(unitTexts);
  const { number } = useFormat();
  const mayCreate = useCan("Units.Create", unit.id);
  const mayUpdate = useCan("Units.Update", unit.id);
  const mayDelete = useCan("Units.Delete", unit.id);
  const maySeeMembers = useCan("Members.Read");
  const known = useMemo(() => byId(units), [units]);
  const above = pathTo(known, unit.id).slice(0, -1);
  const below = units.filter(({ parentId }) => parentId === unit.id).length;
  const members = texts.members(number(unit.memberCount));
  return (
    <Stack gap="xs">
      {above.length > 0 && (
        <Hint size="xs" className="break">
          {above.map(({ name }) => name).join(" / ")}
        </Hint>
      )}
      <Title order={2} size="h4" className="break">
        {unit.name}
      </Title>
      <Text size="sm">
        {maySeeMembers ? (
          <Anchor component={Link} to="/members" search={{ unit: unit.id } as never}>
            {members}
          </Anchor>
        ) : (
          members
        )}
      </Text>
      <Text size="sm">{texts.subunits(number(below))}</Text>
      <Group gap="xs" mt="xs">
        {mayCreate && (
          <Button
            size="xs"
            variant="default"
            onClick={() => openDialog({ what: "create", parentId: unit.id })}
          >
            {texts.createBelow}
          </Button>
        )}
        {mayUpdate && (
          <>
            <Button size="xs" variant="default" onClick={() => openDialog({ what: "rename", unit })}>
              {texts.rename}
            </Button>
            <Button size="xs" variant="default" onClick={() => openDialog({ what: "move", unit })}>
              {texts.move}
            </Button>
          </>
        )}
        {mayDelete && (
          <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={() => onDelete(true)}>
            {texts.remove}
          </Button>
        )}
      </Group>
      {mayDelete && (
        <DeleteDialog unit={unit} below={below} isOpen={isDeleting} onClose={() => onDelete(false)} />
      )}
    </Stack>
  );
}

type DeleteProps = { unit: Unit; below: number; isOpen: boolean; onClose: () => void };

function DeleteDialog({ unit, below, isOpen, onClose }: DeleteProps) {
  const isEmpty = below === 0 && unit.memberCount === 0;
  const texts = useTexts(unitTexts);
  const { cancel } = useTexts(uiTexts);
  const client = useClient();
  const remove = useAction({
    run: () => client.request("DELETE /api/units/{id}", { path: { id: unit.id } }),
    invalidates: ["GET /api/units", "GET /api/members/unit-options", "GET /api/organization/billing"],
    onDone: onClose,
  });
  const leave = () => {
    remove.reset();
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} onClose={leave} title={texts.remove}>
      <Stack>
        <Text>{isEmpty ? texts.removeQuestion(unit.name) : texts.UNIT_NOT_EMPTY}</Text>
        <Refusal error={remove.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={leave} data-autofocus>
            {cancel}
          </Button>
          <Button color="red" disabled={!isEmpty} loading={remove.isRunning} onClick={() => remove.run()}>
            {texts.remove}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
