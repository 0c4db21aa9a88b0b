import { useApiQuery } from "../../client/react.ts";
import { Username } from "./username.tsx";

/** Like `Username`, with the email of the signed-in user. */
export function OwnUsername() {
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  return <Username email={profile?.email ?? ""} />;
}
