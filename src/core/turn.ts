import type { ActionField } from './environment.ts';

/** One model turn: the whole object goes back into the history, so that the model sees its own code. */
export interface Turn {
  thought: string;
  /** Code for the environment; empty when there is none. */
  action: string;
  done: boolean;
  final_response: string;
}

/** JSON schema of a turn, as sent to providers (Webwright's four fields, all required). */
export function turnSchema(actionField: ActionField): { name: string; schema: Record<string, unknown> } {
  const string = (description: string) => ({ type: 'string', description });
  return {
    name: 'agent_turn',
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['thought', actionField, 'done', 'final_response'],
      properties: {
        thought: string('What was seen and what comes next.'),
        [actionField]: string('The code to run now; empty when done is true.'),
        done: { type: 'boolean', description: 'True only when the whole task is finished and checked.' },
        final_response: string('The answer to the task; empty until done is true.'),
      },
    },
  };
}
