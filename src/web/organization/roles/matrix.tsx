import { Table, Text, VisuallyHidden } from "@mantine/core";
import { Fragment } from "react";
import type { PermissionName, Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { roleTexts } from "../../texts/roles.ts";
import { useLabels } from "../../ui/labels.ts";
import { Pending } from "../../ui/pending.tsx";
import { RowMenu } from "../../ui/row-menu.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { byEntity } from "../shared/permissions.ts";

type Role = Schemas["Role"];
type Props = {
  readonly roles: readonly Role[];
  /** The organization's default role; null for the platform's default. */
  readonly defaultId: string | null;
  readonly mayCreate: boolean;
  /** Whether only the permissions are shown in which the roles differ. */
  readonly isDifferent: boolean;
};

/** The maximum number of roles in the table; the search field narrows them. */
const SHOWN = 30;

/** A table that shows which role has which permission. Each role is a column. */
export function Matrix({ roles, defaultId, mayCreate, isDifferent }: Props) {
  const texts = useTexts(roleTexts);
  const words = useLabels();
  const { number } = useFormat();
  const query = useApiQuery("GET /api/permissions", {}, { staleTime: Infinity });
  const { data } = query;
  if (data === undefined || query.error !== null) return <Pending of={query} height={240} />;
  const shown = roles.slice(0, SHOWN);
  const differs = (permission: PermissionName) =>
    new Set(shown.map(({ permissions }) => permissions.includes(permission))).size > 1;
  const rows = data.filter(({ name }) => !isDifferent || differs(name));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
      <section className="table-scroll matrix-scroll" tabIndex={0} aria-label={texts.permissions}>
        <Table className="matrix" verticalSpacing={6} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{texts.permissions}</Table.Th>
              {shown.map((role) => (
                <RoleHead key={role.id} role={role} defaultId={defaultId} mayCreate={mayCreate} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {byEntity(rows).map(([entity, permissions]) => (
              <Fragment key={entity}>
                <Table.Tr>
                  <Table.Th scope="colgroup" colSpan={shown.length + 1} fw={700}>
                    {words.entity(entity)}
                  </Table.Th>
                </Table.Tr>
                {permissions.map(({ name }) => (
                  <Table.Tr key={name}>
                    <Table.Th scope="row">{words.permission(name)}</Table.Th>
                    {shown.map((role) => (
                      <Table.Td key={role.id}>
                        {role.permissions.includes(name) && <span aria-hidden="true">✓</span>}
                        <VisuallyHidden>
                          {role.permissions.includes(name) ? texts.yes : texts.no}
                        </VisuallyHidden>
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Fragment>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      <Text size="sm" c="dimmed" mt="sm" role="status">
        {rows.length === 0 && texts.noDifference}
        {roles.length > SHOWN && texts.someShown(number(SHOWN), number(roles.length))}
      </Text>
    </>
  );
}

type HeadProps = Pick<Props, "defaultId" | "mayCreate"> & { readonly role: Role };

function RoleHead({ role, defaultId, mayCreate }: HeadProps) {
  const texts = useTexts(roleTexts);
  const words = useLabels();
  const { id, name, builtIn: isBuiltIn } = role;
  // An organization without its own default role uses the platform's default.
  const isDefault = defaultId === null ? isBuiltIn && name === "MEMBER" : id === defaultId;
  const label = words.role(name);
  return (
    <Table.Th scope="col">
      <TextLink to={`/roles/${id}`} title={words.roleAbout(role)}>
        {label}
      </TextLink>
      <div className="role-marks">
        {isBuiltIn && <span className="tag">{texts.builtIn}</span>}
        {isDefault && (
          <span className="tag" data-tone="info" title={texts.defaultHint}>
            {texts.defaultRole}
          </span>
        )}
        {mayCreate && (
          <RowMenu
            label={texts.actionsOf(label)}
            actions={[
              { label: texts.open, to: `/roles/${id}` },
              { label: texts.duplicate, to: "/roles/new", search: { from: id } },
            ]}
          />
        )}
      </div>
    </Table.Th>
  );
}
