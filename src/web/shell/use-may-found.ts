import { useSettings } from "../lib/settings.ts";

/**
 * Whether people create organizations, and not only platform administrators. Undefined until it is known; true if it cannot
 * be known, because the API judges.
 */
export function useMayFound(): boolean | undefined {
  const { data, error } = useSettings();
  return data === undefined && error === null ? undefined : data?.organizationCreation !== "platform-admins";
}
