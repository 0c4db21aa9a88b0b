import { Text, TextInput } from "@mantine/core";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { unitTexts } from "../../texts/units.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { UnitSelect } from "../shared/unit-select.tsx";
import { byId, pathTo } from "../shared/units.ts";
import { Refusal } from "./refusal.tsx";
import type { Unit } from "./rows.ts";

export type UnitAction =
  | { readonly what: "create"; readonly parentId: string | null }
  | { readonly what: "rename"; readonly unit: Unit }
  | { readonly what: "move"; readonly unit: Unit };

type Props = {
  readonly dialog: UnitAction | null;
  readonly units: readonly Unit[];
  /** Whether the top level can be chosen as parent. */
  readonly top: boolean;
  readonly onClose: () => void;
  readonly onDone: (unit: Unit) => void;
};

export function UnitDialog({ dialog, ...props }: Props) {
  const texts = useTexts(unitTexts);
  const titles = { create: texts.create, rename: texts.rename, move: texts.move };
  return (
    <Dialog
      isOpen={dialog !== null}
      onClose={props.onClose}
      title={
        dialog === null
          ? ""
          : dialog.what === "move"
            ? texts.moveTitle(dialog.unit.name)
            : titles[dialog.what]
      }
    >
      {dialog !== null && <UnitForm dialog={dialog} {...props} />}
    </Dialog>
  );
}

function UnitForm({ dialog, units, top, onDone, onClose }: Props & { dialog: UnitAction }) {
  const texts = useTexts(unitTexts);
  const client = useClient();
  const parentId = dialog.what === "create" ? dialog.parentId : dialog.unit.parentId;
  const form = useApiForm({
    initialValues: { name: dialog.what === "rename" ? dialog.unit.name : "", parentId },
    save(values, idempotencyKey): Promise<Unit> {
      if (dialog.what === "create")
        return client.request("POST /api/units", { body: values, idempotencyKey });
      const body = dialog.what === "rename" ? { name: values.name } : { parentId: values.parentId };
      return client.request("PATCH /api/units/{id}", { path: { id: dialog.unit.id }, body });
    },
    invalidates: ["GET /api/units", "GET /api/members/unit-options", "GET /api/organization/billing"],
    onDone: (unit) => onDone(unit as Unit),
  });
  const { values, errors, setFieldValue } = form.form;
  // A unit cannot be moved below itself, so the unit and its sub-units are not offered as parents.
  const known = byId(units);
  const places =
    dialog.what === "move"
      ? units.filter(({ id }) => !pathTo(known, id).some((above) => above.id === dialog.unit.id))
      : units;
  return (
    // For a rejected change of the unit tree, shows the explanation of the units page instead of the general error
    // text.
    <Form
      of={{ ...form, error: null }}
      {...(dialog.what === "create" && { submit: texts.create })}
      onCancel={onClose}
    >
      {dialog.what !== "move" && <TextInput label={texts.name} data-autofocus {...form.field("name")} />}
      {dialog.what === "move" && <Text size="sm">{texts.moveAbout}</Text>}
      {dialog.what !== "rename" && (
        <UnitSelect
          label={texts.parent}
          units={places}
          whole={top || values.parentId === null ? texts.top : false}
          clearable={false}
          value={values.parentId}
          onChange={(id) => setFieldValue("parentId", id)}
          error={errors.parentId}
        />
      )}
      <Refusal error={form.error} />
    </Form>
  );
}
