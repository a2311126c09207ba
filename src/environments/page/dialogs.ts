import type { BrowserContext, Dialog } from '@playwright/test';
import { oneLine } from '../clean-text.ts';
import { withinOr } from '../deadline.ts';
import type { FromChild, ToChild } from '../live/protocol.ts';
import type { StepEvents } from './events.ts';

/** How long code may think about a dialog before it is dismissed; the page stands still meanwhile. */
const answerMs = 2_000;
/** More dialogs than this in one step are a storm (reliability §4). */
const stormAt = 20;

export interface DialogOwner {
  /** Answers the dialogs of this context from now on. */
  watch(context: BrowserContext): void;
  /** What the child says about its listeners and its answers. */
  onChildMessage(message: Extract<FromChild, { type: 'dialog-listeners' | 'dialog-answer' }>): void;
  beginStep(): void;
  /** The child is gone: nobody will answer any more. */
  childGone(): void;
  dispose(): void;
}

/**
 * The one owner of dialogs. Default: `beforeunload` is accepted, everything else dismissed. When the code of the step listens
 * (`page.once('dialog', …)`), it is asked first. Listeners of the test's author on the page go before ours.
 */
export function ownDialogs({ events, send }: { events: StepEvents; send: (message: ToChild) => void }): DialogOwner {
  let listeners = 0;
  let next = 0;
  let inStep = 0;
  const asked = new Map<number, (answer: { accept: boolean; promptText?: string } | undefined) => void>();

  const ask = (dialog: Dialog) =>
    new Promise<{ accept: boolean; promptText?: string } | undefined>(resolve => {
      const id = next++;
      asked.set(id, resolve);
      setTimeout(() => {
        if (!asked.has(id)) return;
        settle(id, undefined);
        send({ type: 'dialog-expired', dialog: id });
      }, answerMs).unref();
      send({
        type: 'dialog',
        dialog: id,
        kind: dialog.type(),
        message: dialog.message().slice(0, 10_000),
        defaultValue: dialog.defaultValue().slice(0, 10_000),
        pageGuid: (dialog.page() as unknown as { _guid?: string } | null)?._guid ?? '',
      });
    });
  const settle = (id: number, answer: { accept: boolean; promptText?: string } | undefined) => {
    asked.get(id)?.(answer);
    asked.delete(id);
  };

  const onDialog = async (dialog: Dialog) => {
    inStep += 1;
    const what = `${dialog.type()} "${oneLine(dialog.message(), 160)}"`;
    const authorListens =
      ((dialog.page() as unknown as { listenerCount?: (name: string) => number } | null)?.listenerCount?.('dialog') ?? 0) > 0;
    if (authorListens) {
      events.add('dialog', `${what} left to a listener of the test`);
      return;
    }
    const storm = inStep > stormAt;
    const answer = listeners > 0 && !storm ? await ask(dialog) : { accept: dialog.type() === 'beforeunload' };
    const accept = answer?.accept ?? false;
    const late = answer === undefined ? ` because the listener of the code did not answer within ${answerMs / 1000} s` : '';
    if (inStep === stormAt + 1)
      events.add('dialog', `more than ${stormAt} dialogs in one step; the rest is dismissed without being listed`);
    if (!storm) {
      const text = accept && dialog.type() === 'prompt' ? ` with "${oneLine(answer?.promptText ?? '', 80)}"` : '';
      events.add('dialog', `${what} ${accept ? `accepted${text}` : 'dismissed'}${late}`);
    }
    await withinOr({ promise: accept ? dialog.accept(answer?.promptText) : dialog.dismiss(), timeoutMs: answerMs, otherwise: undefined });
  };

  const listener = (dialog: Dialog) => void onDialog(dialog).catch(() => {});
  const watched: BrowserContext[] = [];
  return {
    watch(context) {
      watched.push(context);
      context.on('dialog', listener);
    },
    onChildMessage(message) {
      if (message.type === 'dialog-listeners') listeners = message.count;
      else
        settle(message.dialog, { accept: message.accept, ...(message.promptText === undefined ? {} : { promptText: message.promptText }) });
    },
    beginStep() {
      inStep = 0;
    },
    childGone() {
      listeners = 0;
      for (const id of [...asked.keys()]) settle(id, { accept: false });
    },
    dispose() {
      for (const context of watched) context.off('dialog', listener);
    },
  };
}
