import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { Page } from "../ui/page.tsx";
import { profileTexts } from "./profile-texts.ts";

const PAGES = [
  ["/profile", "profile"],
  ["/profile/security", "security"],
  ["/profile/sessions", "sessions"],
  ["/profile/data", "data"],
] as const;

type Props = { title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode };

/** Layout of the account pages, with links to all of them; the router marks the current one. */
export function AccountPage({ children, ...page }: Props) {
  const texts = useTexts(profileTexts);
  return (
    <div className="account-page">
      <nav className="account-nav" aria-label={texts.sections}>
        {PAGES.map(([to, name]) => (
          <Link key={to} to={to} activeOptions={{ exact: true }}>
            {texts[name]}
          </Link>
        ))}
      </nav>
      <Page {...page}>{children}</Page>
    </div>
  );
}
