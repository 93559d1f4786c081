/** Where a workout comes from, as people call it. */
export const SOURCES: Record<string, string> = { strong: "Strong", hevy: "Hevy" };
