import { FUZZ_FAULTS } from "./planted-faults/fuzz.ts";
import { ANSWER_FAULTS } from "./planted-faults/fuzz-answers.ts";
import { PEOPLE_IN_ORGANIZATION_FAULTS } from "./planted-faults/fuzz-people.ts";
import { RIGHT_FAULTS } from "./planted-faults/fuzz-rights.ts";
import { IDENTITY_FAULTS } from "./planted-faults/identity.ts";
import { TESTED_FAULTS } from "./planted-faults/machines.ts";
import { RACE_FAULTS } from "./planted-faults/race.ts";
import { NAME_AND_PROVIDER_FAULTS } from "./planted-faults/race-people.ts";
import { WRITE_FAULTS } from "./planted-faults/race-writes.ts";
import { SOAK_FAULTS } from "./planted-faults/soak.ts";
import { FAILURE_FAULTS } from "./planted-faults/soak-of-failures.ts";
import { PEOPLE_FAULTS } from "./planted-faults/soak-of-people.ts";
import { WEBHOOK_FAULTS } from "./planted-faults/webhooks.ts";

/** A planted fault, the command that must find it, and a pattern for the expected finding in the command's output. */
export type PlantedFault = {
  name: string;
  command: string[];
  edits: [file: string, before: string, after: string][];
  expected: RegExp;
};

export const PLANTED: PlantedFault[] = [
  ...[...FUZZ_FAULTS, ...ANSWER_FAULTS, ...RIGHT_FAULTS, ...PEOPLE_IN_ORGANIZATION_FAULTS],
  ...[...RACE_FAULTS, ...WRITE_FAULTS, ...NAME_AND_PROVIDER_FAULTS],
  ...[...SOAK_FAULTS, ...PEOPLE_FAULTS, ...FAILURE_FAULTS],
  ...[...TESTED_FAULTS, ...IDENTITY_FAULTS, ...WEBHOOK_FAULTS],
];
