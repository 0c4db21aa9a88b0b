import { useTexts } from "../../lib/i18n.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { unitTexts } from "./texts.ts";

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
