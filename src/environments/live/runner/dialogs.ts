import { EventEmitter } from 'node:events';
import type { BrowserContext, Page } from '@playwright/test';
import type { FromChild, ToChild } from '../protocol.ts';

type Listener = (dialog: unknown) => void;
interface Listenable {
  emit?: unknown;
  [method: string]: unknown;
}

/**
 * The harness alone answers dialogs, because a dialog held by a killed child freezes the page. Yet `page.once('dialog', d =>
 * d.accept())` must work as every Playwright user expects. So listeners for `dialog` are kept here instead of in Playwright;
 * the harness forwards each dialog, and what a listener decides goes back to it. Without a listener the dialog is dismissed.
 */
export function shareDialogs({ page, context, send }: { page: Page; context: BrowserContext; send: (message: FromChild) => void }) {
  const emitters = new WeakMap<object, EventEmitter>();
  let count = 0;

  const emitterOf = (owner: object) => {
    let emitter = emitters.get(owner);
    if (!emitter) {
      emitter = new EventEmitter();
      emitter.on('removeListener', () => send({ type: 'dialog-listeners', count: --count }));
      emitter.on('newListener', () => send({ type: 'dialog-listeners', count: ++count }));
      emitters.set(owner, emitter);
    }
    return emitter;
  };

  const redirect = (prototype: Listenable) => {
    for (const method of ['on', 'once', 'addListener', 'prependListener', 'off', 'removeListener', 'removeAllListeners', 'listenerCount']) {
      const original = prototype[method];
      if (typeof original !== 'function') continue;
      prototype[method] = function (this: object, event: string, ...rest: Listener[]) {
        if (event !== 'dialog') return original.call(this, event, ...rest);
        const emitter = emitterOf(this);
        const result = (emitter[method as 'on'] as (...all: unknown[]) => unknown)(event, ...rest);
        return result === emitter ? this : result;
      };
    }
  };
  redirect(Object.getPrototypeOf(page) as Listenable);
  redirect(Object.getPrototypeOf(context) as Listenable);

  const handled = new Set<number>();

  function deliver(message: Extract<ToChild, { type: 'dialog' }>, target: Page | undefined) {
    const answer = (accept: boolean) => async (promptText?: string) => {
      if (handled.has(message.dialog))
        throw new Error(
          `dialog.${accept ? 'accept' : 'dismiss'}: Cannot ${accept ? 'accept' : 'dismiss'} dialog which is already handled!`,
        );
      handled.add(message.dialog);
      send({
        type: 'dialog-answer',
        dialog: message.dialog,
        accept,
        ...(promptText === undefined ? {} : { promptText: String(promptText) }),
      });
    };
    const dialog = {
      type: () => message.kind,
      message: () => message.message,
      defaultValue: () => message.defaultValue,
      page: () => target ?? null,
      accept: answer(true),
      dismiss: answer(false),
    };
    for (const owner of [target?.context() ?? context, target]) if (owner) emitters.get(owner)?.emit('dialog', dialog);
  }

  /** The harness has answered: whatever a listener says now comes too late. */
  const expire = (dialog: number) => handled.add(dialog);

  return { deliver, expire };
}
