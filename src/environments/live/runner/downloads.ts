import type { FromChild, ToChild } from '../protocol.ts';

/** `download` in the model's scope: files lie with the harness, so their text is asked for. */
export function downloadHelper({ send }: { send: (message: FromChild) => void }) {
  const asked = new Map<number, { resolve: (text: string) => void; reject: (error: Error) => void }>();
  let next = 0;
  const ask = (name?: string) =>
    new Promise<string>((resolve, reject) => {
      const id = next++;
      asked.set(id, { resolve, reject });
      send({ type: 'download-ask', ask: id, ...(name === undefined ? {} : { name: String(name).slice(0, 1_000) }) });
    });
  return {
    helper: {
      /** Text of a finished download by its name; without a name, of the newest. */
      text: ask,
    },
    answer({ ask: id, text, error }: Extract<ToChild, { type: 'download-text' }>) {
      const waiting = asked.get(id);
      asked.delete(id);
      if (error !== undefined) waiting?.reject(new Error(error));
      else waiting?.resolve(text ?? '');
    },
  };
}
