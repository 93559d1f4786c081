/** Both sides of a conversation in one recording. It stays in this browser until somebody downloads it. */
export class Recorder {
  private readonly context = new AudioContext();
  private readonly mix = this.context.createMediaStreamDestination();
  private readonly recorder = new MediaRecorder(this.mix.stream);
  private readonly parts: Blob[] = [];

  constructor() {
    this.recorder.addEventListener("dataavailable", (event) => {
      if (event.data.size > 0) this.parts.push(event.data);
    });
    this.recorder.start(1000);
    void this.context.resume();
  }

  add(stream: MediaStream): void {
    if (stream.getAudioTracks().length > 0) this.context.createMediaStreamSource(stream).connect(this.mix);
  }

  /** What there is so far. */
  async blob(): Promise<Blob> {
    if (this.recorder.state === "recording") {
      const more = new Promise((done) =>
        this.recorder.addEventListener("dataavailable", done, { once: true }),
      );
      this.recorder.requestData();
      await more;
    }
    return new Blob(this.parts, { type: this.recorder.mimeType });
  }

  async end(): Promise<void> {
    if (this.recorder.state !== "inactive") {
      const stopped = new Promise((done) => this.recorder.addEventListener("stop", done, { once: true }));
      this.recorder.stop();
      await stopped;
    }
    await this.context.close();
  }
}

export interface Recording {
  name: string;
  type: string;
  bytes: number;
}

/** Hands a recording to the visitor as a file. */
export function save(blob: Blob, moment = new Date()): Recording {
  const kind = blob.type.includes("mp4") ? "m4a" : blob.type.includes("ogg") ? "ogg" : "webm";
  const name = `conversation-${moment.toISOString().slice(0, 16).replace(":", "-")}.${kind}`;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return { name, type: blob.type, bytes: blob.size };
}
