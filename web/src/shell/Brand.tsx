import { Group, Text } from "@mantine/core";

/** Two hands around a bar: somebody is there if you need them. */
export function Mark({ size = 30 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" fill="#0d5f53" />
      <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round">
        <path d="M10 6.6a12 12 0 0 0 0 18.8M22 6.6a12 12 0 0 1 0 18.8" />
        <path d="M12 16h8" stroke="#7fe3cb" />
        <path d="M12 12.6v6.8M20 12.6v6.8" />
      </g>
    </svg>
  );
}

export function Brand({ size = 30 }: { size?: number }) {
  return (
    <Group gap={10} wrap="nowrap">
      <Mark size={size} />
      <Text component="span" fw={700} fz={size * 0.66} lts="-0.03em" lh={1}>
        Spotter
      </Text>
    </Group>
  );
}
