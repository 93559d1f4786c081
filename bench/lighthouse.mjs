// Lighthouse over pages that need a sign-in, on a desktop and on a phone (both with its simulated network).
//
//   spotter up                                     (in another terminal; it prints a sign-in link)
//   npm install --prefix ~/.cache/spotter-lighthouse lighthouse
//   NODE_PATH=~/.cache/spotter-lighthouse/node_modules node bench/lighthouse.mjs SIGN_IN_LINK /train /chat

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const found = createRequire(import.meta.url);
const load = async (name) => import(pathToFileURL(found.resolve(name)).href);
const { default: lighthouse, desktopConfig } = await load("lighthouse");
const { default: puppeteer } = await load("puppeteer-core");

const [link, ...paths] = process.argv.slice(2);
const settings = { disableStorageReset: true, onlyCategories: ["performance", "accessibility"], logLevel: "error" };
const shown = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift"];

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage();
  await page.goto(link, { waitUntil: "networkidle2" });
  for (const [device, config] of [["desktop", desktopConfig], ["phone", undefined]]) {
    for (const path of paths) {
      const { lhr } = await lighthouse(new URL(path, link).href, settings, config, page);
      const scores = Object.values(lhr.categories).map(({ id, score }) => `${id} ${score}`);
      console.log(device, path, ...scores, ...shown.map((name) => `${name} ${lhr.audits[name].displayValue}`));
    }
  }
} finally {
  await browser.close();
}
