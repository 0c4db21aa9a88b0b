import { useTexts } from "../../lib/i18n.tsx";
import { unitTexts } from "../../texts/units.ts";
import { Tabs } from "../../ui/tabs.tsx";

export function UnitTabs() {
  const texts = useTexts(unitTexts);
  return (
    <Tabs
      label={texts.units}
      tabs={[
        { to: "/units", label: texts.treeTab },
        { to: "/units/chart", label: texts.chart },
      ]}
    />
  );
}
