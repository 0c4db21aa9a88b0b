import { useApiQuery } from "../../client/react.ts";

/** A hidden field that tells password managers which account a form is for. */
export function Username({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}

/** Like `Username`, with the email of the signed-in user. */
export function OwnUsername() {
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  return <Username email={profile?.email ?? ""} />;
}
