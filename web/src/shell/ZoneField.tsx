import { Select } from "@mantine/core";

/** The names that browsers know; the server knows them too. */
const ZONES = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];

export function ZoneField(props: {
  label: string;
  value: string | null;
  /** What holds without one of one's own. */
  none?: string;
  onChange: (zone: string | null) => void;
}) {
  const { value } = props;
  const known = value === null || ZONES.includes(value) ? ZONES : [value, ...ZONES];
  return (
    <Select
      label={props.label}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No such place. Try the largest city near you."
      maxDropdownHeight={280}
      limit={60}
      flex="1 1 240px"
      value={value ?? ""}
      onChange={(zone) => props.onChange(zone || null)}
      data={[...(props.none === undefined ? [] : [{ value: "", label: props.none }]), ...known]}
    />
  );
}
