import { type ChildOptions, type RunEnd, type RunnerChild, startChild } from './child.ts';
import type { FromChild, ToChild } from './protocol.ts';

/** The process that runs the model's code, replaced by a fresh one whenever it had to be ended. */
export interface Runner {
  /** Waits until code can be run. */
  ready(): Promise<void>;
  run(options: Parameters<RunnerChild['run']>[0]): Promise<RunEnd>;
  send(message: ToChild): void;
  /** Ends the process, and with it whatever the code left running; the next `run` or `ready` starts another. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Keeps one attached child and one spare that has loaded Playwright already, so that a step after a kill does not wait
 * for Node to start.
 */
export function createRunner({
  child,
  attach,
  onMessage,
}: {
  child: Omit<ChildOptions, 'onMessage'>;
  attach: Parameters<RunnerChild['attach']>[0];
  onMessage: (message: FromChild) => void;
}): Runner {
  let closed = false;
  const start = () => {
    const started: { child?: RunnerChild } = {};
    started.child = startChild({
      ...child,
      onMessage: message => {
        if (current.child === started.child) onMessage(message);
      },
    });
    return started.child;
  };
  const current: { child: RunnerChild | undefined; attached: Promise<void> } = { child: undefined, attached: Promise.resolve() };
  let spare: RunnerChild | undefined = start();

  const replace = () => {
    current.child = spare?.alive ? spare : start();
    spare = undefined;
    current.attached = current.child.attach(attach);
    current.attached.catch(() => {});
    void current.attached.then(
      () => {
        if (!closed) spare ??= start();
      },
      () => {},
    );
  };
  replace();

  return {
    async ready() {
      if (!current.child?.alive) replace();
      // One more try: the first child may have died of a passing cause.
      await current.attached.catch(() => {
        replace();
        return current.attached;
      });
    },
    async run(options) {
      await this.ready();
      const running = current.child as RunnerChild;
      const end = await running.run(options);
      if (end.how !== 'returned' && end.how !== 'threw') {
        await running.kill();
        if (!closed) replace();
      }
      return end;
    },
    send: message => current.child?.send(message),
    async stop() {
      await current.attached.catch(() => {});
      await current.child?.kill();
    },
    async close() {
      closed = true;
      await Promise.all([current.child?.kill(), spare?.kill()]);
    },
  };
}
