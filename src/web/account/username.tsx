import { useApiQuery } from "../../client/react.ts";

/** Tells password managers whose password a form is about; nobody sees it. */
export function Username({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}

/** The same, for whoever is signed in. */
export function OwnUsername() {
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  return <Username email={profile?.email ?? ""} />;
}
