/** The worker of `cleaner.ts`: receives one image at a time and returns it cleaned. */
import { serveTasks } from "../worker-calls.ts";
import { cleanImageResult } from "./clean-image-result.ts";

serveTasks(cleanImageResult, (result) => ("bytes" in result ? [result.bytes.buffer as ArrayBuffer] : []));
