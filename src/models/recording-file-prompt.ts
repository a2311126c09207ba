import type { PromptPiece } from './recorded-prompt.ts';
import type { PromptLine } from './recording-file-schema.ts';

interface Told {
  lines: PromptLine[];
  /** Index of the earlier call the lines refer to. */
  after: number | null;
}

/**
 * Every prompt told relative to the earlier call it shares most text with, so that a long conversation shows each text once
 * and a pruned or compacted one only what it changed.
 */
export function promptLines(calls: readonly { pieces: readonly PromptPiece[]; reply: string }[]): Told[] {
  const numbers = new Map<string, number>();
  const numberOf = (piece: PromptPiece) => {
    const id = JSON.stringify([piece.role, piece.joined, piece.text ?? null, piece.image ?? null]);
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    return numbers.get(id)!;
  };
  const numbered = calls.map(({ pieces }) => pieces.map(numberOf));
  return calls.map(({ pieces }, index) => {
    const after = mostShared({ ids: numbered[index]!, pieces, earlier: numbered.slice(0, index) });
    const parent = after === null ? null : { ids: numbered[after]!, reply: calls[after]!.reply };
    return { after, lines: linesAfter({ pieces, ids: numbered[index]!, parent }) };
  });
}

function mostShared({
  ids,
  pieces,
  earlier,
}: {
  ids: readonly number[];
  pieces: readonly PromptPiece[];
  earlier: readonly number[][];
}): number | null {
  const weights = new Map(ids.map((id, index) => [id, pieces[index]!.text?.length ?? 1]));
  let best: number | null = null;
  let bestWeight = 1;
  earlier.forEach((known, index) => {
    const weight = [...new Set(known)].reduce((sum, id) => sum + (weights.get(id) ?? 0), 0);
    if (weight >= bestWeight) [best, bestWeight] = [index, weight];
  });
  return best;
}

function linesAfter({
  pieces,
  ids,
  parent,
}: {
  pieces: readonly PromptPiece[];
  ids: readonly number[];
  parent: { ids: readonly number[]; reply: string } | null;
}): PromptLine[] {
  const runs: (PromptLine | { from: number; to: number })[] = [];
  pieces.forEach((piece, index) => {
    const last = runs.at(-1);
    const run = last && 'from' in last ? last : null;
    const id = ids[index]!;
    const next = run ? run.to + 1 : 0;
    const at = parent ? (parent.ids[next] === id ? next : parent.ids.indexOf(id)) : -1;
    if (at < 0) runs.push(lineOf({ piece, parentReply: parent?.reply }));
    else if (run && at === next) run.to = at;
    else runs.push({ from: at, to: at });
  });
  return runs.map(run => ('from' in run ? { same: run.from === run.to ? String(run.from) : `${run.from}-${run.to}` } : run));
}

function lineOf({
  piece: { role, joined, text, image },
  parentReply,
}: {
  piece: PromptPiece;
  parentReply: string | undefined;
}): PromptLine {
  if (text === undefined) return joined ? { image: image! } : { role, image: image! };
  if (joined) return { more: text };
  return role === 'assistant' && text === parentReply ? { reply: true } : { role, text };
}

/** The pieces that lines stand for, or null when they refer to something that is not there. */
export function piecesOf({
  lines,
  parent,
}: {
  lines: readonly PromptLine[];
  parent: { pieces: readonly PromptPiece[]; reply: string } | null;
}): PromptPiece[] | null {
  const pieces: PromptPiece[] = [];
  for (const line of lines) {
    if ('same' in line) {
      const [from = 0, to = from] = line.same.split('-').map(Number);
      const shared = parent?.pieces.slice(from, to + 1) ?? [];
      if (to < from || shared.length !== to - from + 1) return null;
      pieces.push(...shared);
    } else if ('reply' in line) {
      if (!parent) return null;
      pieces.push({ role: 'assistant', joined: false, text: parent.reply });
    } else if ('role' in line) {
      pieces.push({ role: line.role, joined: false, ...('text' in line ? { text: line.text } : { image: line.image }) });
    } else {
      const role = pieces.at(-1)?.role;
      if (!role) return null;
      pieces.push({ role, joined: true, ...('more' in line ? { text: line.more } : { image: line.image }) });
    }
  }
  return pieces;
}
