import { z } from 'zod';

/** What the harness tells the runner child, one JSON object a line on fd 3. */
export type ToChild =
  | {
      type: 'start';
      endpoint: string;
      contextGuid: string;
      ownPageGuid: string;
      /** Tabs of a person's own browser, which the code shall not take for its own. */
      hiddenPageGuids: string[];
      task: Record<string, unknown>;
      actionTimeoutMs: number;
      navigationTimeoutMs: number;
    }
  | { type: 'run'; id: string; js: string; step: number; columnOffset: number; pageGuid: string }
  | { type: 'answer'; ask: number; text?: string; error?: string }
  | { type: 'dialog-expired'; dialog: number }
  | { type: 'dialog'; dialog: number; kind: string; message: string; defaultValue: string; pageGuid: string };

const text = z.string().max(200_000);

/**
 * What the child says. The model's code shares the process, so every message is a claim: it is checked for shape and
 * size, and nothing but an observation is ever made of it.
 */
export const fromChildSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('loaded') }),
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('not-ready'), error: text }),
  z.strictObject({
    type: z.literal('done'),
    id: z.string().max(100),
    error: text.optional(),
    value: text.optional(),
    /** The tab that `page` stood for at the end of the step, when the code changed it. */
    pageGuid: z.string().max(200).optional(),
  }),
  /** A rejection that no code awaited. */
  z.strictObject({ type: z.literal('stray'), error: text }),
  /** The code wants a text that the harness has or gets: of a download (without a name, the newest), what an earlier step showed, or an answer about a picture of the page. */
  z.strictObject({
    type: z.literal('ask'),
    ask: z.number().int(),
    about: z.enum(['download', 'step', 'image', 'input']),
    /** Of the download, the step or the file of the task; the question about the image. */
    name: z.string().max(4_000).optional(),
  }),
  z.strictObject({ type: z.literal('dialog-listeners'), count: z.number().int().min(0).max(10_000) }),
  z.strictObject({ type: z.literal('dialog-answer'), dialog: z.number().int(), accept: z.boolean(), promptText: text.optional() }),
]);

export type FromChild = z.infer<typeof fromChildSchema>;

/** Longest line the child may write; more ends it. */
export const maxLineBytes = 1_000_000;
