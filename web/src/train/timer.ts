import { useEffect, useState, useSyncExternalStore } from "react";

export interface Timer {
  kind: "rest" | "work";
  label: string;
  endsAt: number;
  seconds: number;
  exerciseId: string;
  setNumber: number;
}

const PLACE = "spotter.timer";
let timer: Timer | null = restored();
const listeners = new Set<() => void>();

function restored(): Timer | null {
  try {
    const found = JSON.parse(localStorage.getItem(PLACE) ?? "null") as Timer | null;
    return found !== null && found.endsAt > Date.now() - 60_000 ? found : null;
  } catch {
    return null;
  }
}

/** The one timer that runs. It counts towards a moment, so a phone that slept shows the right time again. */
export function setTimer(next: Timer | null): void {
  timer = next;
  try {
    localStorage.setItem(PLACE, JSON.stringify(next));
  } catch {
    // It still runs while the page is open.
  }
  for (const tell of listeners) tell();
}

export function extendTimer(seconds: number): void {
  if (timer === null) return;
  const endsAt = Math.max(Date.now() + 1000, timer.endsAt + seconds * 1000);
  setTimer({ ...timer, endsAt, seconds: Math.max(1, timer.seconds + seconds) });
}

export function useTimer(): Timer | null {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => timer,
  );
}

/** Whole seconds that are left. `onEnd` is called once, when none are. */
export function useLeft(running: Timer | null, onEnd: (ended: Timer) => void): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (running === null) return;
    const tick = window.setInterval(() => setNow(Date.now()), 200);
    return () => window.clearInterval(tick);
  }, [running]);
  const left = running === null ? 0 : Math.max(0, Math.ceil((running.endsAt - now) / 1000));
  useEffect(() => {
    if (running !== null && running.endsAt <= now) onEnd(running);
  }, [running, now, onEnd]);
  return left;
}

let sound: AudioContext | null = null;

/** Browsers let a page make sounds only after a touch, so this is called from one. */
export function allowSound(): void {
  sound ??= new AudioContext();
  if (sound.state === "suspended") void sound.resume();
}

export function ring(times: number): void {
  // Before the first touch the browser would only complain.
  if (navigator.userActivation?.hasBeenActive !== false)
    navigator.vibrate?.(Array.from({ length: times * 2 - 1 }, (_, place) => (place % 2 === 0 ? 180 : 120)));
  if (sound === null || sound.state !== "running") return;
  for (let place = 0; place < times; place += 1) {
    const at = sound.currentTime + place * 0.28;
    const tone = sound.createOscillator();
    const volume = sound.createGain();
    tone.frequency.value = place === times - 1 ? 880 : 660;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(0.25, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.22);
    tone.connect(volume).connect(sound.destination);
    tone.start(at);
    tone.stop(at + 0.25);
  }
}

export function clock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
}
