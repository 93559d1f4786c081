// What a host page does with the Dock. `window.Spotter` is there as soon as embed.js has loaded.
const told = document.getElementById("told");
const tell = (what, detail) => {
  told.textContent += `${what} ${JSON.stringify(detail) ?? ""}\n`;
};

const deeds = {
  open: () => Spotter.open(),
  say: () => Spotter.sendUserText("I have 20 minutes and no equipment. Make me a workout."),
  start: () => Spotter.startPTT(),
  stop: () => Spotter.stopPTT(),
  interrupt: () => Spotter.interrupt(),
  download: () => Spotter.downloadRecording(),
};

document.addEventListener("click", async (event) => {
  const wish = event.target.dataset?.do;
  if (!wish) return;
  try {
    tell(wish, await deeds[wish]());
  } catch (problem) {
    tell(`${wish} did not work:`, problem.message);
  }
});

addEventListener("load", () => {
  Spotter.on("unread", ({ count }) => {
    document.getElementById("unread").textContent = count;
  });
  for (const name of ["ready", "open", "close", "answer", "voice"]) {
    Spotter.on(name, (detail) => tell(name, detail));
  }
});
