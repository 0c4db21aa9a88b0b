import { MultiSelect } from "@mantine/core";
import { useMemo } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Form } from "../../ui/form.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { byId, pathOf } from "../shared/units.ts";
import { memberTexts } from "./texts.ts";

export function MemberUnits({ member, onSaved }: { member: Schemas["Member"]; onSaved: () => void }) {
  const texts = useTexts(memberTexts);
  const { nothingFound } = useTexts(uiTexts);
  const client = useClient();
  const { data: options = [] } = useApiQuery("GET /api/members/unit-options", {}, { staleTime: 30_000 });
  const { userId, units } = member;
  const form = useApiForm({
    initialValues: { unitIds: units.map(({ id }) => id) },
    save: (body) => client.request("PATCH /api/members/{userId}/units", { path: { userId }, body }),
    invalidates: ["GET /api/members", "GET /api/members/{userId}", "GET /api/units"],
    onDone: onSaved,
    fieldOf: { PERMISSION_NOT_HELD: "unitIds", UNIT_FORBIDDEN: "unitIds" },
  });
  const data = useMemo(() => {
    const known = byId(options);
    // The list includes units that the user may not change, so that existing links are shown.
    const linked = units
      .filter(({ id }) => !known.has(id))
      .map(({ id, name }) => ({ value: id, label: name }));
    return [...linked, ...options.map(({ id }) => ({ value: id, label: pathOf(known, id) }))];
  }, [options, units]);
  return (
    <Form of={form}>
      <MultiSelect
        label={texts.unitsField}
        searchable
        limit={50}
        nothingFoundMessage={nothingFound}
        data={data}
        hidePickedOptions
        {...form.field("unitIds")}
      />
    </Form>
  );
}
