import { Anchor, Badge, Button, Group, Skeleton, Table, Text, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Icon } from "../../lib/icons.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Guard } from "../shared/guard.tsx";
import { useLabels } from "../shared/labels.ts";
import { Matrix } from "./matrix.tsx";
import { roleTexts } from "./texts.ts";

/** The list of the organization's roles and their permissions. */
export function Roles() {
  const texts = useTexts(roleTexts);
  return (
    <Guard title={texts.roles} needs="Roles.Read">
      <RolesContent />
    </Guard>
  );
}

function RolesContent() {
  const texts = useTexts(roleTexts);
  const words = useLabels();
  const mayCreate = useCan("Roles.Create", null);
  const maySeeDefault = useCan("Organization.Read");
  const [search, setSearch] = useState("");
  const roles = useApiQuery("GET /api/roles", { query: { sort: "name" } });
  const organization = useApiQuery("GET /api/organization", {}, { enabled: Boolean(maySeeDefault) });
  const part = search.trim().toLowerCase();
  const shown = roles.data?.data.filter(({ name }) => words.role(name).toLowerCase().includes(part));
  // Sorts built-in roles first, those with the most permissions first.
  const rank = ({ builtIn, permissions }: Schemas["Role"]) => (builtIn ? permissions.length : 0);
  const sorted = shown?.toSorted((one, other) => rank(other) - rank(one));
  return (
    <Page
      title={texts.roles}
      about={texts.about}
      actions={
        mayCreate && (
          <Button component={Link} to="/roles/new">
            {texts.create}
          </Button>
        )
      }
    >
      <ErrorAlert error={roles.error} onRetry={() => roles.refetch()} />
      {roles.data === undefined && roles.error === null && <Skeleton height={240} />}
      {sorted !== undefined && (
        <>
          <div>
            <TextInput
              type="search"
              aria-label={texts.search}
              placeholder={texts.search}
              leftSection={<Icon name="search" size={16} />}
              maw={280}
              mb="sm"
              value={search}
              onChange={({ currentTarget: { value } }) => setSearch(value)}
            />
            {sorted.length === 0 ? (
              <EmptyState text={texts.noneFound} />
            ) : (
              <RoleTable roles={sorted} defaultId={organization.data?.defaultRoleId ?? null} />
            )}
          </div>
          {sorted.length > 0 && (
            <Section title={texts.matrix}>
              <Matrix roles={sorted} />
            </Section>
          )}
        </>
      )}
    </Page>
  );
}

function RoleTable({ roles, defaultId }: { roles: Schemas["Role"][]; defaultId: string | null }) {
  const texts = useTexts(roleTexts);
  const { number } = useFormat();
  const words = useLabels();
  // An organization without its own default role uses the platform's default.
  const isDefault = ({ id, name, builtIn }: Schemas["Role"]) =>
    defaultId === null ? builtIn && name === "MEMBER" : id === defaultId;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section className="table-scroll" tabIndex={0} aria-label={texts.roles}>
      <Table highlightOnHover verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.name}</Table.Th>
            <Table.Th scope="col">{texts.description}</Table.Th>
            <Table.Th scope="col">{texts.permissions}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {roles.map((role) => (
            <Table.Tr key={role.id}>
              <Table.Td>
                <Group gap="xs">
                  <Anchor component={Link} to={`/roles/${role.id}`} size="sm" className="name">
                    {words.role(role.name)}
                  </Anchor>
                  {role.builtIn && <Badge variant="default">{texts.builtIn}</Badge>}
                  {isDefault(role) && (
                    <Badge variant="outline" title={texts.defaultHint}>
                      {texts.defaultRole}
                    </Badge>
                  )}
                </Group>
              </Table.Td>
              <Table.Td>
                <Text size="sm" className="break">
                  {words.roleAbout(role)}
                </Text>
              </Table.Td>
              <Table.Td>{number(role.permissions.length)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
