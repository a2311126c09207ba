import type { Pace } from './wire.ts';

/** A {@link Pace} that calls `onSilence` once text has begun and nothing has come for `idleTimeoutMs`. `stop` ends the watch. */
export function watchPace({
  idleTimeoutMs,
  onSilence,
  setTimer = setTimeout,
  clearTimer = clearTimeout,
}: {
  idleTimeoutMs: number;
  onSilence: () => void;
  setTimer?: (act: () => void, ms: number) => NodeJS.Timeout;
  clearTimer?: (timer: NodeJS.Timeout | undefined) => void;
}): Pace & { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimer(timer);
  return {
    textFlows() {
      stop();
      timer = setTimer(onSilence, idleTimeoutMs);
    },
    textEnds: stop,
    stop,
  };
}
