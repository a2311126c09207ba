import type { Observation } from '../../core/environment.ts';

/** What the steps of an attempt showed, for code that asks for it again after the conversation was shortened. */
export interface StepMemory {
  keep(step: number, observation: Observation): void;
  recall(step: string | undefined): { text: string } | { error: string };
}

export function createStepMemory(): StepMemory {
  const texts = new Map<string, string>();
  return {
    keep(step, { exception, fields: { url, title, output, return_value: returned, aria } }) {
      const parts = { Problem: exception, URL: url, Title: title, Output: output, Returned: returned, Page: aria };
      const lines = Object.entries(parts).flatMap(([name, text]) => (text ? [`${name}: ${text}`] : []));
      texts.set(String(step), lines.join('\n').slice(0, 100_000));
    },
    recall(step = '') {
      const text = texts.get(step);
      return text === undefined
        ? { error: `step ${step} showed nothing; there are ${[...texts.keys()].join(', ') || 'none yet'}` }
        : { text };
    },
  };
}
