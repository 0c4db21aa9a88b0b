import { useClient } from "../../../client/react.ts";
import { consoleFeatures } from "../../lib/features.ts";

/** The parts of the home page with the user's own records. */
export function OwnRecords() {
  const client = useClient();
  return (
    <div className="columns">
      {consoleFeatures().map(
        ({ home, menu }) =>
          home !== undefined &&
          (home.needs === undefined || client.can(home.needs)) && <home.part key={menu[0]?.to} />,
      )}
    </div>
  );
}
