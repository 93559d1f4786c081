import "@fontsource-variable/figtree/wght.css";
import "./dock.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { DockFrame } from "./DockFrame";
import { facts, Host } from "./host";
import { DockStore } from "./store";

const told = facts();
const host = new Host(told.host);
const store = new DockStore(told, host);

host.ready({
  open: (agent) => store.open(typeof agent === "string" ? agent : undefined),
  close: () => store.close(),
  sendUserText: (text) => store.say(String(text)),
  startPTT: async () => (await store.talk()).startPTT(),
  stopPTT: () => store.voice?.stopPTT(),
  interrupt: () => store.interrupt(),
  downloadRecording: () => store.voice?.downloadRecording(),
  setPageContext: (page) => store.setPage(typeof page === "string" ? page : JSON.stringify(page)),
});
void store.begin();

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <DockFrame store={store} />
    </StrictMode>,
  );
}
