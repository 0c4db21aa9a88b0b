import { Badge, Combobox, Group, Text, useCombobox } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useLayoutEffect, useState } from "react";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useClaims } from "../lib/claims.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useRoleName } from "../lib/role-names.ts";
import { menuTexts } from "../texts/shell-menus.ts";
import { uiTexts } from "../texts/ui.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Hint } from "../ui/hint.tsx";
import { useOpenOnMount } from "./on-demand.tsx";
import { OrganizationButton } from "./organization-button.tsx";
import { matches } from "./search.ts";
import { useMayFound } from "./use-may-found.ts";

const NEW = "new";
/** The minimum number of organizations for which the menu has a search field. */
const MANY = 6;

export default function OrganizationMenu() {
  const texts = useTexts(menuTexts);
  const { nothingFound } = useTexts(uiTexts);
  const client = useClient();
  const navigate = useNavigate();
  const roleName = useRoleName();
  const { list } = useFormat();
  const [search, setSearch] = useState("");
  const { data, error } = useApiQuery("GET /api/auth/organizations");
  const mayFound = useMayFound();
  const organizations = data ?? [];
  const combobox = useCombobox({
    onDropdownClose() {
      combobox.resetSelectedOption();
      combobox.focusTarget();
      setSearch("");
      move.reset();
    },
  });
  const move = useAction<string>({
    run: client.switchOrganization,
    onDone() {
      combobox.closeDropdown();
      void navigate({ to: "/" });
    },
  });
  const target = useOpenOnMount(combobox.openDropdown);
  const hasSearch = organizations.length >= MANY;
  const isListed = combobox.dropdownOpened && data !== undefined;
  // The list may arrive after the menu has opened. A layout effect, so that no letter is lost that is typed as soon as
  // the list is shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the list appears
  useLayoutEffect(() => {
    if (!isListed) return;
    if (hasSearch) combobox.searchRef.current?.focus({ preventScroll: true });
    else combobox.selectActiveOption();
  }, [isListed, hasSearch]);
  const { organization: current } = useClaims();
  const found = organizations.filter(({ name, slug }) => matches(search, name, slug));

  function choose(value: string) {
    if (value === current?.id) return combobox.closeDropdown();
    const blocked = organizations.find(({ id }) => id === value);
    if (blocked?.blockedBy === "SSO_REQUIRED")
      return blocked.connectionId === null ? undefined : client.sso.begin(blocked.connectionId);
    if (blocked?.blockedBy === "TWO_FACTOR_REQUIRED") {
      combobox.closeDropdown();
      return void navigate({ to: "/profile/security" });
    }
    // A refused switch for want of a proof opens the dialog for one.
    if (value !== NEW) return move.run(value);
    combobox.closeDropdown();
    void navigate({ to: "/new-organization" });
  }

  return (
    <Combobox
      store={combobox}
      width="min(22rem, calc(100vw - 1rem))"
      position="bottom-start"
      withinPortal={false}
      onOptionSubmit={choose}
    >
      <Combobox.Target targetType="button">
        <OrganizationButton ref={target} onClick={() => combobox.toggleDropdown()} />
      </Combobox.Target>
      <Combobox.Dropdown>
        {hasSearch && (
          <Combobox.Search
            value={search}
            onChange={({ currentTarget }) => setSearch(currentTarget.value)}
            placeholder={texts.findOrganization}
            aria-label={texts.findOrganization}
          />
        )}
        <ErrorAlert error={move.error ?? error} />
        <Combobox.Options aria-label={texts.organizations} mah={320} style={{ overflowY: "auto" }}>
          {found.map(({ id, name, status, roles, blockedBy, connectionId }) => (
            <Combobox.Option
              key={id}
              className="switcher-option"
              value={id}
              active={id === current?.id}
              disabled={
                status === "SUSPENDED" ||
                move.isRunning ||
                (blockedBy === "SSO_REQUIRED" && connectionId === null)
              }
            >
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <div className="wrap-anywhere">
                  <Text size="sm" fw={id === current?.id ? 600 : 400}>
                    {name}
                  </Text>
                  {roles.length > 0 && <Hint size="xs">{list(roles.map(roleName))}</Hint>}
                  {blockedBy === "SSO_REQUIRED" && (
                    <Hint size="xs">
                      {connectionId === null ? texts.ssoUnavailable : texts.ssoSignIn(name)}
                    </Hint>
                  )}
                  {blockedBy === "TWO_FACTOR_REQUIRED" && <Hint size="xs">{texts.setUpFactor}</Hint>}
                  {blockedBy === "REAUTHENTICATION_REQUIRED" && <Hint size="xs">{texts.proveIdentity}</Hint>}
                </div>
                {status === "SUSPENDED" && <Badge variant="default">{texts.suspended}</Badge>}
                {id === current?.id && <Badge variant="default">{texts.current}</Badge>}
              </Group>
            </Combobox.Option>
          ))}
          {found.length === 0 && search !== "" && <Combobox.Empty>{nothingFound}</Combobox.Empty>}
          {mayFound && (
            <Combobox.Option className="switcher-option" value={NEW}>
              <Text size="sm">{texts.newOrganization}</Text>
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
