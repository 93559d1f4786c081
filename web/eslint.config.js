import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["dist", "packages/*/dist", "node_modules", "src/api/schema.ts"] },
  js.configs.recommended,
  ...ts.configs.strict,
  hooks.configs.flat["recommended-latest"],
  {
    rules: {
      "no-restricted-properties": [
        "error",
        { property: "dangerouslySetInnerHTML", message: "Text from people and models is never markup." },
        { property: "innerHTML", message: "Text from people and models is never markup." },
      ],
      "no-console": "error",
      eqeqeq: "error",
    },
  },
);
