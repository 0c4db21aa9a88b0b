import { DAY, often } from "#kit";

export const LIMITS = {
  ownOrganizations: often("10.4", "further organizations that a user creates", "user", 5, DAY, {
    store: "database",
  }),
};
