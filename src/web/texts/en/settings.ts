export const settingsTexts = {
  settings: "Settings",
  general: "Organization",
  name: "Name",
  slug: "Short name",
  slugAbout: "For addresses and exports: lower-case letters, digits and hyphens.",
  defaultRole: "Default role",
  defaultRoleAbout: "New members get this role if none of the roles in their invitation exists any more.",
  platformDefault: "Platform default (Member)",
  founded: "Created",
  deletion: "Only a platform administrator can delete an organization.",
} as const;
