/** Replaces known secrets in text. Pure and synchronous; the same function serves prompts, events, reports and errors. */
export type Redact = (text: string) => string;
