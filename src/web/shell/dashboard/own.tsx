import { useClient } from "../../../client/react.ts";
import { consoleFeatures } from "../../lib/features.ts";

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
