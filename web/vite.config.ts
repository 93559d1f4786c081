import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

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

export default defineConfig({
  plugins: [react(), packed()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2022",
    manifest: true,
    // Small pictures stay files: the page's rules know no other place for fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8420", "/sign-in": "http://127.0.0.1:8420" } },
});
