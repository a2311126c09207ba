import { z } from 'zod';
import type { StandardSchema } from '../core/standard-schema.ts';

/** What a final answer must look like beyond being text. */
export interface AnswerFormat {
  /** For the agent, as part of the task. */
  instruction: string;
  /** The data in an answer, or what is wrong with it, for the agent. */
  read(answer: string): Promise<{ ok: true; data: unknown } | { ok: false; error: string }>;
}

const maxSchemaChars = 6_000;
const maxIssues = 10;

/**
 * Asks for structured data: the final answer must be JSON that the schema accepts. The errors of a refused answer go back to
 * the agent. Any Standard Schema will do; a zod schema is also shown to the agent as JSON Schema.
 *
 * @example
 * const format = answerFormat(z.object({ price: z.number() }));
 * await format.read('{"price": 24.9}'); // { ok: true, data: { price: 24.9 } }
 */
export function answerFormat(schema: StandardSchema): AnswerFormat {
  const shown = jsonSchemaOf(schema);
  return {
    instruction: `final_response must be JSON and nothing else${shown ? `, valid against this JSON Schema:\n${shown}` : '; the harness validates it and returns the errors'}`,
    async read(answer) {
      let value: unknown;
      try {
        value = JSON.parse(answer.trim());
      } catch (error) {
        return { ok: false, error: `final_response is not JSON: ${(error as Error).message}. ${this.instruction}` };
      }
      const result = await schema['~standard'].validate(value);
      if (!result.issues) return { ok: true, data: result.value };
      const lines = result.issues.slice(0, maxIssues).map(({ message, path = [] }) => `- ${pathText(path)}: ${message}`);
      return { ok: false, error: `final_response has the wrong form:\n${lines.join('\n')}` };
    },
  };
}

function pathText(path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string {
  return path.map(part => String(typeof part === 'object' ? part.key : part)).join('.') || 'the value';
}

function jsonSchemaOf(schema: StandardSchema): string | null {
  if (schema['~standard'].vendor !== 'zod') return null;
  try {
    const text = JSON.stringify(z.toJSONSchema(schema as unknown as z.ZodType));
    return text.length <= maxSchemaChars ? text : null;
  } catch {
    return null; // zod 3, or a type JSON Schema cannot express: validation alone must do
  }
}
