import { ActionIcon, Burger, Loader, NavLink, Text } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { Link, Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useClient, useSession } from "../../client/react.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { uiTexts } from "../ui/texts.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { SearchIcon } from "./icons.tsx";
import { useLive } from "./live.ts";
import { menu } from "./menu.ts";
import { useRefusals } from "./refusals.ts";
import { SkipLink } from "./skip-link.tsx";
import { SuspendedBanner } from "./suspended-banner.tsx";
import { shellTexts } from "./texts.ts";
import { Toast } from "./toast.tsx";

// With the library that places menus, which the first page does not wait for.
const ActingBanner = lazy(() => import("../platform/acting-banner.tsx"));
const Bell = lazy(() => import("./bell.tsx"));
const OrganizationSwitcher = lazy(() => import("./organization-switcher.tsx"));
const Palette = lazy(() => import("./palette.tsx"));
const UserMenu = lazy(() => import("./user-menu.tsx"));

/** What surrounds the pages of whoever is signed in; sends everybody else to sign in, and back afterwards. */
export function Shell() {
  const session = useSession();
  const texts = useTexts(shellTexts);
  if (session.status === "loading")
    return (
      <div className="centered">
        <main>
          {session.problem === null ? (
            <Loader aria-label={texts.connecting} />
          ) : (
            <ErrorAlert error={session.problem} />
          )}
        </main>
      </div>
    );
  if (session.status === "signed-out") return <Leave to="/sign-in" />;
  if (session.mustEnableTwoFactor) return <Leave to="/two-factor" />;
  return <Frame isPlatformAdmin={session.isPlatformAdmin} />;
}

/** Once, by the address of now: the address changes while this is still shown. */
function Leave({ to }: { to: "/sign-in" | "/two-factor" }) {
  const router = useRouter();
  useEffect(() => {
    const { href } = router.state.location;
    void router.navigate({ to, search: href === "/" ? {} : { next: href }, replace: true });
  }, [router, to]);
  return null;
}

function Frame({ isPlatformAdmin }: { isPlatformAdmin: boolean }) {
  const texts = useTexts(shellTexts);
  const { app } = useTexts(uiTexts);
  const [isOpen, { toggle, close }] = useDisclosure();
  const [palette, setPalette] = useState<"never" | "open" | "closed">("never");
  const live = useLive();
  useRefusals();
  useHotkeys([["mod+K", () => setPalette(palette === "open" ? "closed" : "open")]], []);
  const pathname = useLocation({ select: (location) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the menu covers the page that it led to
  useEffect(close, [pathname]);
  return (
    <div className="shell">
      <SkipLink />
      <header className="shell-header">
        <Burger
          className="shell-burger"
          size="sm"
          opened={isOpen}
          onClick={toggle}
          aria-label={texts.openMenu}
          aria-expanded={isOpen}
          aria-controls="navigation"
        />
        <Text fw={700} className="wide-only">
          {app}
        </Text>
        <Suspense>{!isPlatformAdmin && <OrganizationSwitcher />}</Suspense>
        <div className="shell-header-space" />
        <ActionIcon
          variant="default"
          size={32}
          aria-label={texts.palette}
          aria-keyshortcuts="Control+K Meta+K"
          title={`${texts.palette} (Ctrl K)`}
          onClick={() => setPalette("open")}
        >
          <SearchIcon />
        </ActionIcon>
        <Suspense>
          <Bell unread={live.unreadCount} />
          <UserMenu />
        </Suspense>
      </header>
      <nav
        id="navigation"
        className="shell-nav"
        aria-label={texts.navigation}
        data-open={isOpen || undefined}
      >
        <Menu />
      </nav>
      <main id="main" className="shell-main" tabIndex={-1}>
        <Suspense>
          <ActingBanner />
        </Suspense>
        <ConnectionBanner status={live.status} />
        {!isPlatformAdmin && <SuspendedBanner />}
        <Outlet />
      </main>
      <Toast newest={live.newest} onClose={live.forget} />
      {palette !== "never" && (
        <Suspense>
          <Palette isOpen={palette === "open"} onClose={() => setPalette("closed")} />
        </Suspense>
      )}
    </div>
  );
}

function Menu() {
  const client = useClient();
  const { language } = useLanguage();
  // For what is visible by the session's permissions.
  useSession();
  const pathname = useLocation({ select: (location) => location.pathname });
  return menu
    .filter(({ isVisible }) => isVisible?.(client) ?? true)
    .map(({ to, text }) => {
      const isCurrent = to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`);
      return (
        <NavLink
          key={to}
          component={Link}
          to={to}
          label={text[language]}
          active={isCurrent}
          aria-current={pathname === to ? "page" : undefined}
        />
      );
    });
}
