import { oneLine } from '../clean-text.ts';

/** What can be reported besides the page itself, in the order it is shown. */
export type EventKind = 'harness' | 'tab' | 'navigation' | 'dialog' | 'download' | 'file chooser' | 'page error' | 'console' | 'request';

/** How many different lines of each kind are shown after one step. */
const shown: Record<EventKind, number> = {
  harness: 20,
  tab: 12,
  navigation: 6,
  dialog: 10,
  download: 10,
  'file chooser': 3,
  'page error': 5,
  console: 10,
  request: 8,
};
const maxLineChars = 300;

/** Collects what happens between two observations in bounded memory. */
export interface StepEvents {
  add(kind: EventKind, text: string): void;
  /** The lines for the observation; the next step starts empty. Equal lines are counted, of too many the last ones are kept. */
  drain(): string[];
}

export function createStepEvents(): StepEvents {
  let seen = new Map<EventKind, { lines: Map<string, number>; dropped: number }>();
  return {
    add(kind, text) {
      const line = oneLine(text, maxLineChars);
      const entry = seen.get(kind) ?? { lines: new Map(), dropped: 0 };
      seen.set(kind, entry);
      entry.lines.set(line, (entry.lines.get(line) ?? 0) + 1);
      const [oldest] = entry.lines;
      if (entry.lines.size > shown[kind] && oldest) {
        entry.lines.delete(oldest[0]);
        entry.dropped += oldest[1];
      }
    },
    drain() {
      const lines = (Object.keys(shown) as EventKind[]).flatMap(kind => {
        const entry = seen.get(kind);
        if (!entry) return [];
        const label = kind === 'harness' ? '' : `${kind}: `;
        return [
          ...(entry.dropped > 0 ? [`${label}… ${entry.dropped} earlier ones not shown`] : []),
          ...[...entry.lines].map(([line, count]) => `${label}${line}${count > 1 ? ` (×${count})` : ''}`),
        ];
      });
      seen = new Map();
      return lines;
    },
  };
}
