import { z } from 'zod';

/** Version of the file format. A file of another version is refused, never guessed at. */
export const recordingSchemaVersion = 1;

const digest = z.string().regex(/^[0-9a-f]{16}$/);

export const liveProvenanceSchema = z.strictObject({
  source: z.literal('live'),
  /** Model ids as the endpoint reported them. */
  model: z.string(),
  /** The kind of endpoint, e.g. `openai responses api`; never an address. */
  endpoint: z.string(),
  /** ISO 8601 date of the recording. */
  date: z.string(),
});

export const provenanceSchema = z.discriminatedUnion('source', [
  liveProvenanceSchema,
  z.strictObject({
    source: z.literal('scripted'),
    /** Who or what wrote the replies. */
    by: z.string(),
    date: z.string(),
    /** The live recording it began as. */
    editedFrom: liveProvenanceSchema.optional(),
  }),
]);

/** Where the replies of a recording come from. */
export type Provenance = z.infer<typeof provenanceSchema>;

const role = z.enum(['system', 'user', 'assistant']);

/** One line of a prompt: new text, more text or an image of the same message, pieces shared with the call in `after`, or that call's reply. */
const promptLineSchema = z.union([
  z.strictObject({ role, text: z.string() }),
  z.strictObject({ role, image: digest }),
  z.strictObject({ more: z.string() }),
  z.strictObject({ image: digest }),
  z.strictObject({ same: z.string().regex(/^\d+(-\d+)?$/) }),
  z.strictObject({ reply: z.literal(true) }),
]);
export type PromptLine = z.infer<typeof promptLineSchema>;

const tokens = z.number().int().nonnegative();

const replySchema = z.strictObject({
  model: z.string(),
  finishReason: z.enum(['stop', 'length', 'refusal', 'content_filter', 'unknown']),
  usage: z.strictObject({
    inputTokens: tokens,
    cachedInputTokens: tokens,
    cacheWriteTokens: tokens,
    outputTokens: tokens,
    reasoningTokens: tokens,
  }),
  usageEstimated: z.boolean().optional(),
  text: z.string().optional(),
  /** A reply that is compact JSON, spread out for review; the text is its `JSON.stringify`. */
  json: z.record(z.string(), z.unknown()).optional(),
});

export const entrySchema = z.strictObject({
  role: z.enum(['agent', 'coach', 'grader', 'critical-points', 'image-qa', 'compaction']),
  key: z.string().min(1),
  schema: z.string().optional(),
  /** The earlier call this prompt extends. */
  after: z.string().optional(),
  prompt: z.array(promptLineSchema),
  reply: replySchema,
  /** Digest of this entry; ignored when the file has no `seal`. */
  seal: digest,
});
export type Entry = z.infer<typeof entrySchema>;

export const recordingSchema = z.strictObject({
  schemaVersion: z.literal(recordingSchemaVersion),
  task: z.string(),
  provenance: provenanceSchema,
  /** Digest over the header and all entries. A file without it has been edited by hand and counts as scripted. */
  seal: digest.optional(),
  entries: z.array(entrySchema),
});
