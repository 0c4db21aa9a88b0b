import { DAY, MINUTE, often } from "#kit";

const DATABASE = { store: "database" } as const;

export const LIMITS = {
  changesInAMinute: often("35.1", "requested changes of email", "user", 1, MINUTE, DATABASE),
  changesInADay: often("35.1", "requested changes of email, refused ones too", "user", 5, DAY, DATABASE),
};
