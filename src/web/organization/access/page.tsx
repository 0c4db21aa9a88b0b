import { Anchor, Skeleton, Table, Text } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Fragment, useMemo } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { EmptyState, Page, Section } from "../../ui/page.tsx";
import { Guard } from "../shared/guard.tsx";
import { useLabels } from "../shared/labels.ts";
import { byEntity } from "../shared/permissions.ts";
import { byId, pathOf, type UnitLike } from "../shared/units.ts";
import { PermissionCheck } from "./permission-check.tsx";
import { type Grants, sourcesOf } from "./sources.ts";
import { accessTexts } from "./texts.ts";

const route = getRouteApi("/authenticated/members/$userId/access");

/** Shows which role gives a member which permission, and in which units. */
export function Access() {
  const texts = useTexts(accessTexts);
  return (
    <Guard title={texts.access} needs="Members.Read">
      <AccessContent />
    </Guard>
  );
}

function AccessContent() {
  const texts = useTexts(accessTexts);
  const { userId } = route.useParams();
  const maySeeRoles = Boolean(useCan("Roles.Read"));
  const maySeeUnits = Boolean(useCan("Units.Read"));
  const isWhole = useCan("Members.Read", null) === true;
  const member = useApiQuery("GET /api/members/{userId}", { path: { userId } });
  const roles = useApiQuery("GET /api/roles", { query: { sort: "name" } }, { enabled: maySeeRoles });
  const units = useApiQuery("GET /api/units", {}, { enabled: maySeeUnits });
  const permissions = useApiQuery("GET /api/permissions", {}, { staleTime: Infinity });
  const all = [member, roles, units, permissions];
  const failed = all.find(({ error }) => error !== null);
  const known = useMemo(() => byId<UnitLike>(units.data?.data ?? []), [units.data]);
  const name = member.data && `${member.data.firstName} ${member.data.lastName}`;
  const grants: Grants | undefined = member.data &&
    roles.data &&
    permissions.data && {
      assignments: member.data.assignments,
      roles: roles.data.data,
      permissions: permissions.data,
    };
  return (
    <Page
      title={name === undefined ? texts.access : texts.title(name)}
      about={isWhole ? undefined : texts.partial}
    >
      <Anchor component={Link} to={`/members/${userId}`} size="sm">
        {texts.back}
      </Anchor>
      {!maySeeRoles && <EmptyState text={texts.noRoles} />}
      {failed && (
        <ErrorAlert error={failed.error} onRetry={() => all.forEach(({ refetch }) => void refetch())} />
      )}
      {maySeeRoles && grants === undefined && failed === undefined && <Skeleton height={240} />}
      {grants !== undefined && name !== undefined && (
        <>
          <PermissionCheck name={name} grants={grants} units={units.data?.data ?? []} known={known} />
          <Everything grants={grants} known={known} />
        </>
      )}
    </Page>
  );
}

function Everything({ grants, known }: { grants: Grants; known: ReadonlyMap<string, UnitLike> }) {
  const texts = useTexts(accessTexts);
  const words = useLabels();
  const place = (unit: Schemas["Assignment"]["unit"]) =>
    unit === null ? texts.everywhere : pathOf(known, unit.id) || unit.name;
  return (
    <Section title={texts.all}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
      <section className="table-scroll" tabIndex={0} aria-label={texts.given}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{texts.what}</Table.Th>
              <Table.Th scope="col">{texts.given}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {byEntity(grants.permissions).map(([entity, permissions]) => (
              <Fragment key={entity}>
                <Table.Tr>
                  <Table.Th scope="colgroup" colSpan={2}>
                    {words.entity(entity)}
                  </Table.Th>
                </Table.Tr>
                {permissions.map(({ name }) => {
                  const sources = sourcesOf(grants, name);
                  return (
                    <Table.Tr key={name}>
                      <Table.Td>{words.permission(name)}</Table.Td>
                      <Table.Td>
                        {sources.length === 0 && (
                          <Text size="sm" c="dimmed">
                            {texts.nothing}
                          </Text>
                        )}
                        <ul className="plain-list">
                          {sources.map(({ role, unit }) => (
                            <li key={`${role.id} ${unit?.id}`}>
                              {texts.by(place(unit), words.role(role.name))}
                            </li>
                          ))}
                        </ul>
                      </Table.Td>
                    </Table.Tr>
                  );
                })}
              </Fragment>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </Section>
  );
}
