import { Button, Skeleton, Text } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { roleTexts } from "../../texts/roles.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { useLabels } from "../../ui/labels.ts";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { useSavedNote } from "../shared/saved.tsx";
import { RoleForm } from "./form.tsx";

const route = getRouteApi("/authenticated/roles/$roleId");
const newRoute = getRouteApi("/authenticated/roles/new");

const Back = () => <TextLink to="/roles">{useTexts(roleTexts).all}</TextLink>;

/** The form for a new role. The address may name a role to copy. */
export function NewRole() {
  const texts = useTexts(roleTexts);
  const words = useLabels();
  const client = useClient();
  const navigate = useNavigate();
  const { from } = newRoute.useSearch();
  const { data, error, refetch } = useApiQuery(
    "GET /api/roles",
    { query: { sort: "name" } },
    { enabled: from !== undefined },
  );
  const copied = data?.data.find(({ id }) => id === from);
  const isLoading = from !== undefined && data === undefined;
  return (
    <Page title={texts.create} about={copied && texts.copyOf(words.role(copied.name))}>
      <Back />
      <ErrorAlert error={error} onRetry={() => refetch()} />
      {isLoading && error === null && <Skeleton height={240} />}
      {!isLoading && (
        <RoleForm
          of={null}
          // Only permissions that the user holds can be given to a role.
          template={copied?.permissions.filter((permission) => client.can(permission, null) === true)}
          onSaved={() => void navigate({ to: "/roles" })}
        />
      )}
    </Page>
  );
}

export function RolePage() {
  const texts = useTexts(roleTexts);
  const { roleId } = route.useParams();
  const query = useApiQuery("GET /api/roles", { query: { sort: "name" } });
  const { data } = query;
  const role = data?.data.find(({ id }) => id === roleId);
  if (role !== undefined) return <RoleDetails role={role} />;
  return (
    <Page title={texts.roles}>
      <Back />
      <Pending of={query} height={240} />
      {data !== undefined && <EmptyState text={texts.notFound} />}
    </Page>
  );
}

function RoleDetails({ role }: { role: Schemas["Role"] }) {
  const texts = useTexts(roleTexts);
  const words = useLabels();
  const client = useClient();
  const saved = useSavedNote();
  const mayCreate = useCan("Roles.Create", null);
  const mayUpdate = useCan("Roles.Update", null);
  const mayDelete = useCan("Roles.Delete", null);
  const mayChoose = useCan("Organization.Update", null);
  const { data: organization } = useApiQuery("GET /api/organization", {}, { enabled: Boolean(mayChoose) });
  const isDefault = organization?.defaultRoleId === role.id;
  const makeDefault = useAction({
    run: () => client.request("PATCH /api/organization", { body: { defaultRoleId: role.id } }),
    invalidates: ["GET /api/organization"],
  });
  const isHeld = role.permissions.every((permission) => client.can(permission, null) === true);
  const mayEdit = mayUpdate === true && !role.builtIn && isHeld;
  const why = role.builtIn ? texts.builtInAbout : isHeld ? texts.readOnly : texts.partlyGranted;
  return (
    <Page
      title={words.role(role.name)}
      about={isDefault ? `${texts.defaultRole}: ${texts.defaultHint}` : undefined}
      actions={
        <>
          {mayCreate && (
            <LinkButton to="/roles/new" search={{ from: role.id }} variant="default">
              {texts.duplicate}
            </LinkButton>
          )}
          {mayChoose && organization !== undefined && !isDefault && (
            <Button variant="default" loading={makeDefault.isRunning} onClick={() => makeDefault.run()}>
              {texts.makeDefault}
            </Button>
          )}
          {mayDelete && !role.builtIn && isHeld && (
            <ConfirmButton
              label={texts.remove}
              question={texts.removeQuestion(role.name)}
              run={() => client.request("DELETE /api/roles/{id}", { path: { id: role.id } })}
              leavesTo="/roles"
              invalidates={["GET /api/roles", "GET /api/members/role-options"]}
            />
          )}
        </>
      }
    >
      <Back />
      <ErrorAlert error={makeDefault.error} />
      {!mayEdit && <Text c="dimmed">{why}</Text>}
      <RoleForm
        key={saved.version}
        of={role}
        isReadOnly={!mayEdit}
        onSaved={saved.onSaved}
        note={saved.note}
      />
    </Page>
  );
}
