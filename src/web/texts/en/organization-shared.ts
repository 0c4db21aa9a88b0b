export const aboutTexts = {
  ORG_ADMIN: "May do everything in the organization.",
  UNIT_ADMIN: "May do everything within a unit.",
  MEMBER: "Can see the organization and manage their own records.",
  grant: "{role} in {unit}",
} as const;

export const assignmentTexts = {
  role: "Role",
  where: "Where",
  add: "Add a role",
  drop: "Remove this role",
} as const;

export const grantTexts = {
  more: "and {count} more",
} as const;

export const limitTexts = {
  of: "{used} of {limit}",
  unlimited: "{used}, unlimited",
  full: "The limit is reached. Nothing more can be added.",
  resets: "Resets on {day}.",
} as const;

export const unitSelectTexts = {
  typeToSearch: "{count} units. Type to search.",
  whole: "Whole organization",
  clear: "Clear",
} as const;

export const overlapTexts = {
  atOnce: "Not at all",
  hour: "1 hour",
  day: "1 day",
  week: "7 days",
} as const;

export const savedTexts = {
  saved: "Saved",
} as const;

export const guardTexts = {
  suspended:
    "{name} is suspended. A platform administrator can activate it again; use “My tickets” to ask why.",
  chooseOwn: "Choose an organization at the top left first.",
  none: "You belong to no organization.",
  choose: "Choose an organization from the list of organizations first.",
  forbidden: "Your roles do not give you access to this page.",
  needed: "Ask an administrator of your organization if you need access.",
} as const;
