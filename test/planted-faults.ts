import { FUZZ_FAULTS } from "./planted-faults/fuzz.ts";
import { RACE_FAULTS } from "./planted-faults/race.ts";
import { SOAK_FAULTS } from "./planted-faults/soak.ts";
import { FAILURE_FAULTS } from "./planted-faults/soak-of-failures.ts";
import { PEOPLE_FAULTS } from "./planted-faults/soak-of-people.ts";

/** A fault, the command that must find it, and how its output names it. */
export type PlantedFault = {
  name: string;
  command: string[];
  edits: [file: string, before: string, after: string][];
  expected: RegExp;
};

export const PLANTED: PlantedFault[] = [
  ...FUZZ_FAULTS,
  ...RACE_FAULTS,
  ...SOAK_FAULTS,
  ...PEOPLE_FAULTS,
  ...FAILURE_FAULTS,
];
