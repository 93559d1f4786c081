/** The part of AG-UI that this page reads. The server speaks all of it: see docs/agui.md. */

export interface Metadata {
  sequence?: number;
  at?: string;
  agent?: string;
  offline?: boolean;
  tool?: string;
  outcome?: string;
  ms?: number;
  source?: string;
}

export interface ToolCall {
  id: string;
  function: { name: string; arguments: string };
  metadata?: Metadata;
}

export interface Message {
  id: string;
  role: "user" | "assistant" | "tool";
  content?: string;
  name?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
  error?: string;
  metadata?: Metadata;
}

export interface Interrupt {
  id: string;
  reason: string;
  message?: string;
  toolCallId?: string;
  expiresAt?: string;
  metadata?: {
    options?: string[];
    tool?: string;
    arguments?: unknown;
    argsHash?: string;
    approverRole?: string;
    fourEyes?: boolean;
  };
}

export interface CallCost {
  sequence: number;
  model: string;
  charge: number;
  priced: boolean;
}

export type Outcome =
  { type: "success" } | { type: "cancelled" } | { type: "interrupt"; interrupts: Interrupt[] };

export type AgUiEvent =
  | { type: "RUN_STARTED"; runId: string }
  | { type: "RUN_FINISHED"; outcome?: Outcome }
  | { type: "RUN_ERROR"; message: string; code?: string }
  | { type: "MESSAGES_SNAPSHOT"; messages: Message[] }
  | { type: "STATE_SNAPSHOT"; snapshot: SharedState }
  | { type: "STATE_DELTA"; delta: { op: string; path: string; value?: unknown }[] }
  | { type: "TEXT_MESSAGE_START"; messageId: string; role?: "user" | "assistant" }
  | { type: "TEXT_MESSAGE_CONTENT"; messageId: string; delta: string }
  | { type: "TEXT_MESSAGE_END"; messageId: string; metadata?: Metadata }
  | {
      type: "TOOL_CALL_START";
      toolCallId: string;
      toolCallName: string;
      parentMessageId?: string;
      metadata?: Metadata;
    }
  | { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }
  | { type: "TOOL_CALL_END"; toolCallId: string }
  | {
      type: "TOOL_CALL_RESULT";
      messageId: string;
      toolCallId: string;
      content: string;
      metadata?: Metadata;
    }
  | { type: "CUSTOM"; name: string; value: unknown };

export interface SharedState {
  agent?: string | null;
  scenario?: string | null;
  stage?: string | null;
  workout?: unknown;
  plan?: unknown;
  question?: unknown;
  /** Something about Spotter itself that lasts: the model that was chosen is not set up. */
  notice?: string | null;
}
