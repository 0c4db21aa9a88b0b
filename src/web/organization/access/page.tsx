import { Skeleton, Table, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { Fragment, useMemo } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { accessTexts } from "../../texts/access.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { useLabels } from "../../ui/labels.ts";
import { Section } from "../../ui/page.tsx";
import { MemberFrame } from "../members/frame.tsx";
import { byEntity } from "../shared/permissions.ts";
import { byId, pathOf, type UnitLike } from "../shared/units.ts";
import { PermissionCheck } from "./permission-check.tsx";
import { type Grants, sourcesOf } from "./sources.ts";

const route = getRouteApi("/authenticated/members/$userId/access");

export function Access() {
  const texts = useTexts(accessTexts);
  const { userId } = route.useParams();
  return (
    <MemberFrame userId={userId} part={texts.access}>
      {(member) => <AccessContent member={member} />}
    </MemberFrame>
  );
}

function AccessContent({ member }: { member: Schemas["Member"] }) {
  const texts = useTexts(accessTexts);
  const maySeeRoles = Boolean(useCan("Roles.Read"));
  const maySeeUnits = Boolean(useCan("Units.Read"));
  const isWhole = useCan("Members.Read", null) === true;
  const roles = useApiQuery("GET /api/roles", { query: { sort: "name" } }, { enabled: maySeeRoles });
  const units = useApiQuery("GET /api/units", {}, { enabled: maySeeUnits });
  const permissions = useApiQuery("GET /api/permissions", {}, { staleTime: Infinity });
  const all = [roles, units, permissions];
  const failed = all.find(({ error }) => error !== null);
  const known = useMemo(() => byId<UnitLike>(units.data?.data ?? []), [units.data]);
  const grants: Grants | undefined = roles.data &&
    permissions.data && {
      assignments: member.assignments,
      roles: roles.data.data,
      permissions: permissions.data,
    };
  return (
    <>
      {!isWhole && <Text c="dimmed">{texts.partial}</Text>}
      {!maySeeRoles && <EmptyState text={texts.noRoles} />}
      {failed && (
        <ErrorAlert error={failed.error} onRetry={() => all.forEach(({ refetch }) => void refetch())} />
      )}
      {maySeeRoles && grants === undefined && failed === undefined && <Skeleton height={240} />}
      {grants !== undefined && (
        <>
          <PermissionCheck
            name={`${member.firstName} ${member.lastName}`}
            grants={grants}
            units={units.data?.data ?? []}
            known={known}
          />
          <Everything grants={grants} known={known} />
        </>
      )}
    </>
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
                        {sources.length === 0 && <Hint>{texts.nothing}</Hint>}
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
