import "@fontsource-variable/figtree/wght.css";
import "./mantine";
import "./theme.css";

import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isAway } from "~/api/connection";
import { queries } from "~/api/queries";
import { router } from "~/router";
import { ToastsWhenWanted } from "~/shell/toasts";
import { theme } from "~/theme";

/** Came with the page: without it the browser refuses styles that are made at run time. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
setNonce(nonce);

// A piece of the app that is gone belongs to a version before: the server has a new one, and a reload gets it.
window.addEventListener("vite:preloadError", (event) => {
  const before = Number(sessionStorage.getItem("spotter.renewed") ?? 0);
  if (isAway() || Date.now() - before < 60_000) return;
  event.preventDefault();
  sessionStorage.setItem("spotter.renewed", String(Date.now()));
  window.location.reload();
});

// The first page's own piece comes while it is found out who is there.
interface Piece {
  options: { component?: { preload?: () => Promise<void> } };
}
const pieces = router.routesById as unknown as Record<string, Piece>;
for (const { routeId } of router.matchRoutes(router.latestLocation))
  void pieces[String(routeId)]?.options.component?.preload?.().catch(() => undefined);

/** Until there is something to show, the page shows what it came with. */
function show(): void {
  const root = document.getElementById("root");
  if (root === null) return;
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <ToastsWhenWanted />
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

void router.load().finally(show);
