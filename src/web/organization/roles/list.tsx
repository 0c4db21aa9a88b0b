import { Button, Checkbox, Group } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { roleTexts } from "../../texts/roles.ts";
import { folded } from "../../theme/fold.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useLabels } from "../../ui/labels.ts";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";
import { SearchInput } from "../../ui/search-field.tsx";
import { Matrix } from "./matrix.tsx";

export function Roles() {
  const texts = useTexts(roleTexts);
  const words = useLabels();
  const mayCreate = useCan("Roles.Create", null);
  const maySeeDefault = useCan("Organization.Read");
  const [search, setSearch] = useState("");
  const [isDifferent, setDifferent] = useState(false);
  const roles = useApiQuery("GET /api/roles", { query: { sort: "name" } });
  const organization = useApiQuery("GET /api/organization", {}, { enabled: Boolean(maySeeDefault) });
  const part = folded(search.trim());
  const shown = roles.data?.data.filter(({ name }) => folded(words.role(name)).includes(part));
  // Sorts built-in roles first, those with the most permissions first.
  const rank = ({ builtIn, permissions }: Schemas["Role"]) => (builtIn ? permissions.length : 0);
  const sorted = shown?.toSorted((one, other) => rank(other) - rank(one));
  return (
    <Page
      title={texts.roles}
      about={texts.about}
      actions={mayCreate && <LinkButton to="/roles/new">{texts.create}</LinkButton>}
    >
      <Pending of={roles} height={240} />
      {sorted !== undefined && (
        <div>
          <Group mb="sm" className="toolbar">
            <SearchInput value={search} onChange={({ currentTarget: { value } }) => setSearch(value)} />
            <Checkbox
              label={texts.differences}
              checked={isDifferent}
              onChange={({ currentTarget }) => setDifferent(currentTarget.checked)}
            />
          </Group>
          {sorted.length === 0 ? (
            <EmptyState icon="search" text={texts.noneFound}>
              <Button variant="default" onClick={() => setSearch("")}>
                {texts.clearSearch}
              </Button>
            </EmptyState>
          ) : (
            <Matrix
              roles={sorted}
              defaultId={organization.data?.defaultRoleId ?? null}
              mayCreate={mayCreate === true}
              isDifferent={isDifferent}
            />
          )}
        </div>
      )}
    </Page>
  );
}
