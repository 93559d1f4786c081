/** The body from front and back as simple shapes, one or more for each muscle. The picture is 120 wide, 260 high. */
export type Muscle = string;

type Shape = { muscle: Muscle; path: string };

/** Mirrored to the other side by the component. */
export const FRONT: Shape[] = [
  { muscle: "neck", path: "M55 30 L60 30 L60 40 L53 40 Z" },
  { muscle: "traps", path: "M53 40 L60 41 L60 45 L44 45 Z" },
  { muscle: "front_delts", path: "M43 46 Q35 47 33 58 L37 63 Q43 60 46 51 Z" },
  { muscle: "side_delts", path: "M35 49 Q29 53 29 63 L33 67 L34 58 Z" },
  { muscle: "chest", path: "M46 48 L59 48 L59 68 Q49 74 42 66 L42 60 Q46 56 46 48 Z" },
  { muscle: "serratus", path: "M42 69 L47 73 L47 84 L42 80 Z" },
  { muscle: "biceps", path: "M30 68 Q35 64 39 68 L37 88 Q32 90 29 86 Z" },
  { muscle: "brachialis", path: "M28 70 L29 70 L27 88 L25 86 Z" },
  { muscle: "forearms", path: "M25 90 Q31 92 36 90 L30 118 L23 117 Z" },
  { muscle: "abs", path: "M50 75 L59 73 L59 116 L52 110 Z" },
  { muscle: "obliques", path: "M43 83 L48 87 L50 109 L43 106 Q45 96 43 83 Z" },
  { muscle: "abductors", path: "M42 109 L46 113 L42 126 L39 124 Z" },
  { muscle: "adductors", path: "M53 116 L59 121 L58 148 L53 140 Z" },
  { muscle: "quads", path: "M46 115 L52 118 Q54 145 51 170 Q44 175 40 168 Q37 145 41 127 Z" },
  { muscle: "calves", path: "M40 182 Q43 180 45 184 L44 216 L40 216 Q36 200 40 182 Z" },
];

export const BACK: Shape[] = [
  { muscle: "neck", path: "M55 28 L60 28 L60 36 L54 36 Z" },
  { muscle: "traps", path: "M53 37 L60 36 L60 72 L54 60 L44 46 Z" },
  { muscle: "rear_delts", path: "M43 46 Q35 47 33 57 L39 61 L47 53 Z" },
  { muscle: "side_delts", path: "M35 49 Q29 53 29 63 L33 67 L33 57 Z" },
  { muscle: "upper_back", path: "M48 55 L54 63 L59 74 L59 80 L46 72 L41 63 Z" },
  { muscle: "lats", path: "M41 66 L46 75 L58 83 L55 98 L45 96 Q41 82 41 66 Z" },
  { muscle: "triceps", path: "M29 68 Q34 64 38 66 L36 88 Q31 90 28 86 Z" },
  { muscle: "forearms", path: "M25 90 Q31 92 35 90 L29 118 L23 117 Z" },
  { muscle: "lower_back", path: "M50 99 L59 92 L59 113 L50 108 Z" },
  { muscle: "obliques", path: "M44 98 L49 100 L49 108 L43 108 Z" },
  { muscle: "glutes", path: "M43 111 L59 115 L59 136 Q48 142 41 132 Q40 120 43 111 Z" },
  { muscle: "abductors", path: "M41 109 L42 112 L40 126 L38 122 Z" },
  { muscle: "adductors", path: "M54 140 L59 139 L58 154 L55 152 Z" },
  { muscle: "hamstrings", path: "M41 138 Q47 144 53 141 L53 173 Q46 178 41 172 Q38 154 41 138 Z" },
  { muscle: "calves", path: "M40 180 Q47 176 51 181 Q53 197 49 208 L44 212 Q36 198 40 180 Z" },
];

/** What is under the muscles: half of a person, from the crown to the feet. */
export const OUTLINE =
  "M60 6 Q49 6 49 18 Q49 28 54 32 L53 39 L42 45 Q28 47 27 66 L21 116 Q18 128 22 130 Q27 131 29 119 L38 92 L42 84 L42 106 Q37 116 37 140 L38 172 Q34 190 39 216 L39 232 Q34 240 40 242 L50 242 Q52 238 49 230 Q55 200 52 176 L60 122 Z";

export const LABELS: Record<string, string> = {
  chest: "Chest",
  front_delts: "Front shoulders",
  side_delts: "Side shoulders",
  rear_delts: "Rear shoulders",
  triceps: "Triceps",
  biceps: "Biceps",
  brachialis: "Brachialis",
  forearms: "Forearms",
  lats: "Lats",
  upper_back: "Upper back",
  traps: "Traps",
  lower_back: "Lower back",
  abs: "Abs",
  obliques: "Obliques",
  serratus: "Serratus",
  glutes: "Glutes",
  quads: "Quads",
  hamstrings: "Hamstrings",
  adductors: "Adductors",
  abductors: "Abductors",
  calves: "Calves",
  neck: "Neck",
};

export function label(muscle: string): string {
  return LABELS[muscle] ?? muscle.replaceAll("_", " ");
}
