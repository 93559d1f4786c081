import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin } from "vite";

/** Packs every text file once, at build time: the server hands them out as they are. */
function packed(): Plugin {
  let folder = "dist";
  return {
    name: "spotter-packed",
    apply: "build",
    configResolved(config) {
      folder = config.build.outDir;
    },
    async closeBundle() {
      await loader(folder);
      const names = await readdir(folder, { recursive: true });
      const wanted = names.filter((name) => /\.(js|css|svg|webmanifest)$/.test(name));
      await Promise.all(
        wanted.map(async (name) => {
          const path = join(folder, name);
          const plain = await readFile(path);
          const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
          await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
          await writeFile(`${path}.br`, await promisify(brotliCompress)(plain, quality));
        }),
      );
    },
  };
}

/**
 * Each Mantine component brings its own styles, with the chunk it is in: all of them at once would be 37 kB before the
 * first page shows. What others build upon is in `src/mantine.ts`, first and in order.
 */
function stylesOfMantine(): Plugin {
  const part = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;
  return {
    name: "spotter-mantine-styles",
    transform(code, id) {
      const name = part.exec(id)?.[1];
      if (name === undefined) return null;
      return { code: `import "@mantine/core/styles/${name}.layer.css";\n${code}`, map: null };
    },
  };
}

/** The script that other people's pages load: one file with a name that stays. */
async function loader(folder: string): Promise<void> {
  const entry = here("./embed/loader.ts");
  await build({
    configFile: false,
    publicDir: false,
    logLevel: "warn",
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: "es2020",
      lib: { entry, name: "loader", formats: ["iife"], fileName: () => "embed.js" },
    },
  });
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

export default defineConfig({
  plugins: [stylesOfMantine(), react(), packed()],
  resolve: { alias: { "~": here("./src"), "@spotter/react": here("./packages/react/src/index.ts") } },
  build: {
    target: "es2022",
    manifest: true,
    rollupOptions: { input: { index: here("./index.html"), dock: here("./dock.html") } },
    // Small pictures stay files: the page's rules know no other place for fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8420", "/sign-in": "http://127.0.0.1:8420" } },
});
