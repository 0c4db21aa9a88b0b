import { Burger, Loader, NavLink, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { useClient, useSession } from "../../client/react.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { uiTexts } from "../ui/texts.ts";
import { menu } from "./menu.ts";
import { SkipLink } from "./skip-link.tsx";
import { shellTexts } from "./texts.ts";

// With the library that places menus, which the first page does not wait for.
const ActingBanner = lazy(() => import("../platform/acting-banner.tsx"));
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
  if (session.status === "signed-out") return <ToSignIn />;
  return <Frame />;
}

/** Once, by the address of now: the address changes while this is still shown. */
function ToSignIn() {
  const router = useRouter();
  useEffect(() => {
    const { href } = router.state.location;
    void router.navigate({ to: "/sign-in", search: href === "/" ? {} : { next: href }, replace: true });
  }, [router]);
  return null;
}

function Frame() {
  const texts = useTexts(shellTexts);
  const { app } = useTexts(uiTexts);
  const [isOpen, { toggle, close }] = useDisclosure();
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
        <Text fw={700}>{app}</Text>
        {/* Here the shell puts the organization switcher, the notifications and the palette. */}
        <div className="shell-header-space" />
        <Suspense>
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
        <Outlet />
      </main>
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
