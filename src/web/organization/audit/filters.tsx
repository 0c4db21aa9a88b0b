import { Button, Select, TextInput } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { PersonSelect } from "../shared/person-select.tsx";
import { actionTexts, auditTexts } from "./texts.ts";

/** The filters of the audit log, as search parameters. */
export type AuditFilters = {
  readonly action?: string;
  readonly actorId?: string;
  readonly targetType?: NonNullable<Schemas["AuditEvent"]["targetType"]>;
  readonly targetId?: string;
  readonly from?: string;
  readonly to?: string;
};

type Change = { readonly [Name in keyof AuditFilters]: AuditFilters[Name] | undefined };

const NONE = {
  action: undefined,
  actorId: undefined,
  targetType: undefined,
  targetId: undefined,
  from: undefined,
  to: undefined,
};

type Props = { readonly filters: AuditFilters; readonly onChange: (change: Change) => void };

/** The fields for the filters of the audit log. */
export function Filters({ filters, onChange }: Props) {
  const texts = useTexts(auditTexts);
  const { nothingFound } = useTexts(uiTexts);
  const mayFindPeople = useCan("Members.Read");
  const actions = Object.entries(useTexts(actionTexts)).map(([value, label]) => ({ value, label }));
  const day = (name: "from" | "to") => (
    <TextInput
      type="date"
      label={texts[name]}
      value={filters[name]?.slice(0, 10) ?? ""}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value === "" ? undefined : value })}
    />
  );
  return (
    <>
      <Select
        label={texts.action}
        placeholder={texts.allActions}
        searchable
        clearable
        clearButtonProps={{ "aria-label": texts.allActions }}
        nothingFoundMessage={nothingFound}
        data={actions}
        value={filters.action ?? null}
        onChange={(action) => onChange({ action: action ?? undefined })}
      />
      {day("from")}
      {day("to")}
      {mayFindPeople && (
        <>
          <PersonSelect
            label={texts.actor}
            placeholder={texts.anybody}
            value={filters.actorId ?? null}
            onChange={(actorId) => onChange({ actorId: actorId ?? undefined })}
          />
          <PersonSelect
            label={texts.target}
            placeholder={texts.anybody}
            value={filters.targetType === "user" ? (filters.targetId ?? null) : null}
            onChange={(userId) =>
              onChange({ targetId: userId ?? undefined, targetType: userId === null ? undefined : "user" })
            }
          />
        </>
      )}
      {filters.actorId !== undefined && !mayFindPeople && (
        <Button variant="light" onClick={() => onChange({ actorId: undefined })}>
          {`${texts.filteredActor} ✕`}
        </Button>
      )}
      {filters.targetId !== undefined && (filters.targetType !== "user" || !mayFindPeople) && (
        <Button variant="light" onClick={() => onChange({ targetId: undefined, targetType: undefined })}>
          {`${texts.filteredTarget} ✕`}
        </Button>
      )}
      {Object.keys(filters).length > 0 && (
        <Button variant="subtle" onClick={() => onChange(NONE)}>
          {texts.clear}
        </Button>
      )}
    </>
  );
}
