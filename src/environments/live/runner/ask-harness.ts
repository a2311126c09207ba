import type { FromChild, ToChild } from '../protocol.ts';

type Ask = Extract<FromChild, { type: 'ask' }>;

/** Texts that lie with the harness, for the model's scope: `download.text(name)`, `recall(step)`, `input(name)` and `imageQa(question)`. */
export function askHarness({ send }: { send: (message: FromChild) => void }) {
  const asked = new Map<number, { resolve: (text: string) => void; reject: (error: Error) => void }>();
  let next = 0;
  const ask = (about: Ask['about'], name?: unknown) =>
    new Promise<string>((resolve, reject) => {
      const id = next++;
      asked.set(id, { resolve, reject });
      send({ type: 'ask', ask: id, about, ...(name === undefined ? {} : { name: String(name).slice(0, 4_000) }) });
    });
  return {
    /** Text of a finished download by its name; without a name, of the newest. */
    download: { text: (name?: string) => ask('download', name) },
    /** What a step of this attempt showed: output, return value, view of the page. */
    recall: (step: number) => ask('step', step),
    /** A file of the task as `setInputFiles` takes it. */
    input: async (name: string) => {
      const { base64, ...file } = JSON.parse(await ask('input', name)) as { name: string; mimeType: string; base64: string };
      return { ...file, buffer: Buffer.from(base64, 'base64') };
    },
    /** `{ answer, evidence, unknown, confidence }` about a new picture of the tab that `page` stands for. */
    imageQa: async (question: string): Promise<unknown> => JSON.parse(await ask('image', question)),
    answer({ ask: id, text, error }: Extract<ToChild, { type: 'answer' }>) {
      const waiting = asked.get(id);
      asked.delete(id);
      if (error !== undefined) waiting?.reject(new Error(error));
      else waiting?.resolve(text ?? '');
    },
  };
}
