import { Anchor, Skeleton, Table, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { useLabels } from "../shared/labels.ts";
import { byEntity } from "../shared/permissions.ts";
import { roleTexts } from "./texts.ts";

/** The maximum number of roles in the table; the search field narrows them. */
const SHOWN = 10;

/** A table that shows which role has which permission. */
export function Matrix({ roles }: { roles: readonly Schemas["Role"][] }) {
  const texts = useTexts(roleTexts);
  const words = useLabels();
  const { data, error, refetch } = useApiQuery("GET /api/permissions", {}, { staleTime: Infinity });
  if (error !== null) return <ErrorAlert error={error} onRetry={() => refetch()} />;
  if (data === undefined) return <Skeleton height={240} />;
  const shown = roles.slice(0, SHOWN);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section className="table-scroll" tabIndex={0} aria-label={texts.permissions}>
      <Table className="matrix" verticalSpacing={6} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.permissions}</Table.Th>
            {shown.map(({ id, name }) => (
              <Table.Th key={id} scope="col">
                <Anchor component={Link} to={`/roles/${id}`} size="sm" className="break">
                  {words.role(name)}
                </Anchor>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {byEntity(data).map(([entity, permissions]) => (
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
  );
}
