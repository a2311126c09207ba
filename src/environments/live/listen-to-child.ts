import { type InputFile, inputAnswer } from '../inputs.ts';
import type { DialogOwner } from '../page/dialogs.ts';
import { answerDownload, type Downloads } from '../page/downloads.ts';
import type { StepEvents } from '../page/events.ts';
import type { createImageQuestions } from './image-questions.ts';
import type { FromChild, ToChild } from './protocol.ts';
import type { StepMemory } from './step-memory.ts';

/** Takes what the runner child says outside its steps, and answers what its helpers ask: `recall`, `imageQa`, `input`, `download`. */
export function listenToChild({
  send,
  events,
  dialogs,
  downloads,
  memory,
  pictures,
  inputs,
}: {
  send: (message: ToChild) => void;
  events: StepEvents;
  dialogs: DialogOwner;
  downloads: Downloads;
  memory: StepMemory;
  pictures: Pick<ReturnType<typeof createImageQuestions>, 'ask'>;
  inputs: readonly InputFile[];
}): (message: FromChild) => void {
  return message => {
    if (message.type === 'stray') events.add('harness', `A promise that was not awaited failed later: ${message.error}`);
    if (message.type === 'dialog-listeners' || message.type === 'dialog-answer') dialogs.onChildMessage(message);
    if (message.type !== 'ask') return;
    const { ask, about, name } = message;
    const answer = (reply: object) => send({ type: 'answer', ask, ...reply });
    if (about === 'step') answer(memory.recall(name));
    else if (about === 'image') void pictures.ask(name ?? '').then(answer);
    else if (about === 'input') answer(inputAnswer({ inputs, name: name ?? '' }));
    else void answerDownload({ downloads, ask, name, send });
  };
}
