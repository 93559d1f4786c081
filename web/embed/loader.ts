/**
 * Puts a widget's chat on a page: a frame, and a small API that speaks to it. Nothing of the page is read or changed,
 * and every message is checked for who sent it.
 */
interface Options {
  widget: string;
  /** A token from the page's own server; asked again before it expires. */
  token: () => Promise<string> | string;
  theme?: "light" | "dark" | "auto";
}
type Reply = { id: number; ok: boolean; value: unknown };
type Told = {
  spotter?: string;
  name?: string;
  detail?: unknown;
  w?: number;
  h?: number;
  full?: boolean;
} & Partial<Reply>;

(() => {
  const script = document.currentScript as HTMLScriptElement;
  const home = new URL(script.src).origin;
  const small = matchMedia("(max-width: 500px)");
  const waiting = new Map<number, [(value: unknown) => void, (problem: Error) => void]>();
  const listeners: Record<string, ((detail: unknown) => void)[]> = {};
  const early: object[] = [];
  let frame: HTMLIFrameElement | undefined;
  let options: Options;
  let ready = false;
  let calls = 0;

  const send = (message: object) => {
    if (ready) frame?.contentWindow?.postMessage(message, home);
    else early.push(message);
  };
  const tellAboutPage = () => send({ spotter: "host", theme: options.theme ?? "auto", phone: small.matches });
  const style = (rules: Record<string, string>) => frame && Object.assign(frame.style, rules);
  const resize = (w: number, h: number, full: boolean) =>
    style(
      full
        ? { width: "100%", height: "100%", right: "0", bottom: "0", maxHeight: "none" }
        : { width: w + "px", height: h + "px", right: "8px", bottom: "8px", maxHeight: "calc(100% - 16px)" },
    );
  const giveToken = async () => {
    try {
      send({ spotter: "token", token: await options.token() });
    } catch (problem) {
      send({ spotter: "token", error: String(problem) });
    }
  };

  addEventListener("message", (event: MessageEvent<Told | null>) => {
    if (!frame || event.source !== frame.contentWindow || event.origin !== home) return;
    const told = event.data ?? {};
    if (told.spotter === "ready") {
      ready = true;
      tellAboutPage();
      early.splice(0).forEach(send);
    } else if (told.spotter === "token") void giveToken();
    else if (told.spotter === "size") resize(told.w ?? 0, told.h ?? 0, told.full === true);
    else if (told.spotter === "event")
      listeners[told.name ?? ""]?.forEach((listener) => listener(told.detail));
    else if (told.spotter === "reply") {
      const settle = waiting.get(told.id ?? 0);
      waiting.delete(told.id ?? 0);
      if (told.ok) settle?.[0](told.value);
      else settle?.[1](new Error(String(told.value)));
    }
  });

  const call =
    (name: string) =>
    (...args: unknown[]) =>
      new Promise<unknown>((resolve, reject) => {
        waiting.set(++calls, [resolve, reject]);
        send({ spotter: "call", id: calls, name, args });
      });

  const init = (given: Options) => {
    if (frame) return;
    options = given;
    frame = document.createElement("iframe");
    frame.title = "Chat";
    frame.allow = "microphone; autoplay";
    frame.src = `${home}/embed/${given.widget}?host=${encodeURIComponent(location.origin)}`;
    // A frame whose colour scheme is another than its page's is not see-through.
    style({ position: "fixed", border: "0", zIndex: "2147483000", colorScheme: "light", background: "none" });
    resize(0, 0, false);
    // Refused: then it says why, in a frame that nobody has made larger.
    frame.addEventListener("load", () => setTimeout(() => ready || resize(360, 260, false), 5000));
    small.addEventListener("change", tellAboutPage);
    document.body.append(frame);
  };

  Object.assign(window, {
    Spotter: {
      init,
      open: call("open"),
      close: call("close"),
      sendUserText: call("sendUserText"),
      startPTT: call("startPTT"),
      stopPTT: call("stopPTT"),
      interrupt: call("interrupt"),
      downloadRecording: call("downloadRecording"),
      setPageContext: call("setPageContext"),
      setTheme: (theme: Options["theme"]) => {
        options = { ...options, theme };
        tellAboutPage();
      },
      on: (name: string, listener: (detail: unknown) => void) => {
        (listeners[name] ??= []).push(listener);
        return () => void (listeners[name] = listeners[name]?.filter((one) => one !== listener) ?? []);
      },
    },
  });

  const { widget, tokenUrl, theme } = script.dataset;
  if (widget && tokenUrl) {
    const token = async () => {
      const answer = await fetch(tokenUrl, { method: "POST", credentials: "same-origin" });
      if (!answer.ok) throw new Error(`${tokenUrl} answered ${answer.status}`);
      return ((await answer.json()) as { token: string }).token;
    };
    const begin = () => init({ widget, token, theme: theme as Options["theme"] });
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", begin);
    else begin();
  }
})();
