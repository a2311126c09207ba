/** Who speaks. `exit` messages end an attempt and are never sent to a model. */
export type Role = 'system' | 'user' | 'assistant' | 'exit';

export interface TextPart {
  type: 'text';
  text: string;
}

/** An image on disk, captured by the harness (evidence) or made by the agent (a claim). Bytes are read when a request is sent. */
export interface ImagePart {
  type: 'image';
  /** Absolute path of the file. */
  path: string;
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  /** Hex digest of the bytes; two parts with the same digest are the same image. */
  sha256: string;
  /** Enough for this purpose: the fraction of width and height to send, 0–1; a longer edge of 1,000 px or less is not scaled, below 0.5 one of 720 px or less. Absent: 1. */
  scale?: number;
}

export type Part = TextPart | ImagePart;

/**
 * One entry of the conversation (Webwright's message model).
 *
 * @example
 * const task: Message = { role: 'user', content: 'Find the cheapest blue kettle.', extra: {} };
 */
export interface Message {
  role: Role;
  content: string | Part[];
  /** What is known about the message besides its text: `actions`, `observation`, `interrupt_type`, `exit_status`, … Never sent. */
  extra: Record<string, unknown>;
}

/** The text of a message, images left out. */
export function textOf({ content }: Pick<Message, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The images of a message, in order. */
export function imagesOf({ content }: Pick<Message, 'content'>): ImagePart[] {
  return typeof content === 'string' ? [] : content.filter(part => part.type === 'image');
}
