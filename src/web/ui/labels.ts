import type { Schemas } from "../../client/index.ts";
import { useDeclaredNames } from "../lib/features.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useRoleName } from "../lib/role-names.ts";
import { aboutTexts } from "../texts/organization-shared.ts";
import { entityTexts, permissionTexts } from "../texts/permissions.ts";

type Named = Readonly<Record<string, string>>;

export function useLabels() {
  const role = useRoleName();
  const about = useTexts(aboutTexts);
  const permissions: Named = { ...useTexts(permissionTexts), ...useDeclaredNames("permissions") };
  const entities: Named = { ...useTexts(entityTexts), ...useDeclaredNames("entities") };
  return {
    role,
    roleAbout: ({
      name,
      builtIn: isBuiltIn,
      description,
    }: Pick<Schemas["Role"], "name" | "builtIn" | "description">) =>
      (isBuiltIn ? (about as unknown as Named)[name] : undefined) ?? description,
    /** Returns the label of an assignment: "Member", or "Member in Athens". */
    grant: (roleName: string, unitName: string | null) =>
      unitName === null ? role(roleName) : about.grant(role(roleName), unitName),
    permission: (name: string) => permissions[name] ?? name,
    entity: (name: string) => entities[name] ?? name,
  };
}

/** Returns the entity in a permission's name, such as `Members` of `Members.Read`. */
export const entityOf = (permission: string) => permission.split(".")[0] ?? "";
