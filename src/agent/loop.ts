import type { Environment, Observation } from '../core/environment.ts';
import type { ExitInfo } from '../core/exit.ts';
import type { Message } from '../core/messages.ts';
import type { Model, ModelReply } from '../core/model.ts';
import type { Turn } from '../core/turn.ts';
import type { EventLog } from '../record/event-log.ts';
import type { AnswerFormat } from './answer-format.ts';
import type { createCompaction } from './compaction.ts';
import type { Gate } from './gate.ts';
import { exitMessage, Interrupt, interruptMessage } from './interrupt.ts';
import { type Limits, limitExit, reachedLimit, type Spent, usedShare } from './limits.ts';
import { observationExtra } from './observation-extra.ts';
import { queryTurn } from './query.ts';
import { createRepeatWatch } from './repeats.ts';
import { contextView, type ViewOptions } from './view.ts';

/** What is known about a turn when its action starts. */
export interface StepInfo {
  step: number;
  turn: Turn;
  reply: ModelReply;
}

export interface LoopOptions {
  model: Model;
  environment: Environment;
  log: EventLog;
  gate: Gate;
  limits: Limits;
  view: ViewOptions;
  /** Tokens and money used so far by all roles, and the time since the attempt began. */
  spent: () => Omit<Spent, 'steps'>;
  render: {
    observation: (options: { observation: Observation; step: number }) => string;
    formatError: (options: { error: string }) => string;
  };
  attachScreenshot: boolean;
  /** What the final answer must look like, when the task asks for data. */
  answer?: AnswerFormat | undefined;
  /** Wraps the part of a turn that acts, so that a host can show it as a step of its own. */
  onStep: <T>(info: StepInfo, act: () => Promise<T>) => Promise<T>;
  /** Called at the end of every turn, whatever happened in it. */
  onTurnEnd: (step: number) => Promise<void>;
  /** Called after each turn that did not end the attempt; may shorten the view. */
  compact?: ReturnType<typeof createCompaction>;
  signal: AbortSignal;
}

/**
 * The loop: `execute(query())` until an exit message ends the conversation. Everything it decides is in the event log before
 * the next turn starts.
 */
export class Loop {
  step = 0;
  readonly #options: LoopOptions;
  #formatErrors = 0;
  #noActionTurns = 0;
  #warned = false;
  readonly #repeats = createRepeatWatch();
  #inputTokens = 0;
  #shownImage = '';
  #plan = '';

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Runs to the exit message and returns its `extra`. Model and environment faults are thrown to the caller. */
  async run(): Promise<ExitInfo> {
    for (;;) {
      const last = await this.#turn();
      if (last?.role === 'exit') return last.extra as unknown as ExitInfo;
      await this.#compact();
    }
  }

  async #turn(): Promise<Message | undefined> {
    const { log, limits, signal, onTurnEnd } = this.#options;
    const reached = reachedLimit({ limits, spent: this.#spent() });
    if (reached) return this.#append([exitMessage(limitExit(reached))]);
    this.step += 1;
    try {
      signal.throwIfAborted();
      const isLast = this.#announceLimits();
      return await this.#execute(await this.#query(), isLast);
    } catch (error) {
      if (error instanceof Interrupt) return this.#append(error.messages);
      log.append({ type: 'note', step: this.step, text: `the turn threw: ${(error as Error).message}` });
      throw error;
    } finally {
      await this.#checkpoint();
      await onTurnEnd(this.step);
    }
  }

  async #checkpoint(): Promise<void> {
    const { log, environment, spent } = this.#options;
    const { tokens, costUsd } = spent();
    const counters = { formatErrors: this.#formatErrors, noActionTurns: this.#noActionTurns, inputTokens: this.#inputTokens };
    const state = (await environment.checkpoint?.().catch(() => ({}))) ?? {};
    log.append({ type: 'turn-ended', step: this.step, counters, spent: { tokens, costUsd }, state });
  }

  async #compact(): Promise<void> {
    const { compact, model, log, view, signal } = this.#options;
    await compact?.({ step: this.step, inputTokens: this.#inputTokens, model, log, view: () => contextView(log.events, view), signal });
  }

  #append(messages: Message[]): Message | undefined {
    for (const message of messages) {
      if (message.role === 'exit' && message.extra['limit'])
        this.#options.log.append({ type: 'limit-reached', step: this.step, limit: String(message.extra['limit']) });
      this.#options.log.append({ type: 'message', step: this.step, message });
    }
    return messages.at(-1);
  }

  #spent(): Spent {
    return { steps: this.step, ...this.#options.spent() };
  }

  /** Warns once at 75 % of a limit. True when this turn is the last: then only finishing is allowed. */
  #announceLimits(): boolean {
    const { limits } = this.#options;
    const isLast = (limits.steps > 0 && this.step === limits.steps) || usedShare({ limits, spent: this.#spentBeforeTurn() }) >= 0.95;
    const share = usedShare({ limits, spent: this.#spent() });
    if (isLast) {
      this.#append([
        interruptMessage(
          'LastTurn',
          'This is the last turn: no action will run. Send done with the best answer you can stand behind, or done with a final_response that starts with "Blocked:".',
        ),
      ]);
    } else if (share >= 0.75 && !this.#warned) {
      this.#warned = true;
      this.#append([
        interruptMessage(
          'LimitWarning',
          `${Math.round(share * 100)} % of the limits of this task are used${limits.steps > 0 ? ` (turn ${this.step} of ${limits.steps})` : ''}. Finish soon.`,
        ),
      ]);
    }
    return isLast;
  }

  #spentBeforeTurn(): Spent {
    return { ...this.#spent(), steps: this.step - 1 };
  }

  async #query(): Promise<StepInfo> {
    const { model, environment, log, view, signal, render } = this.#options;
    const messages = contextView(log.events, view);
    const result = await queryTurn({ model, environment, messages, step: this.step, formatError: render.formatError, signal });
    this.#inputTokens = result.reply.usage.inputTokens;
    if (result.ok) {
      this.#formatErrors = 0;
      return { step: this.step, turn: result.turn, reply: result.reply };
    }
    this.#formatErrors += 1;
    if (this.#formatErrors < this.#options.limits.formatErrors) throw new Interrupt(result.messages);
    const detail = `format_errors: ${this.#formatErrors} turns in a row without a usable reply`;
    throw new Interrupt([...result.messages, exitMessage(limitExit({ limit: 'format_errors', detail }))]);
  }

  async #execute(info: StepInfo, isLast: boolean): Promise<Message | undefined> {
    const { turn } = info;
    const hasAction = turn.action.trim() !== '';
    // A done beside an action is premature: the action runs, done is dropped (DESIGN §4).
    const done = turn.done && (!hasAction || isLast);
    const shown = {
      thought: turn.thought,
      [this.#options.environment.actionField]: turn.action,
      done,
      final_response: turn.final_response,
    };
    this.#append([
      {
        role: 'assistant',
        content: JSON.stringify(shown),
        extra: { actions: hasAction ? [turn.action] : [], done, final_response: turn.final_response },
      },
    ]);
    if (done) return this.#finish(info, isLast);
    if (isLast) throw new Interrupt([exitMessage(this.#lastTurnExit(turn.final_response))]);
    if (!hasAction) return this.#nudge();
    this.#noActionTurns = 0;
    return this.#act(info);
  }

  async #act(info: StepInfo): Promise<Message | undefined> {
    const { environment, log, render, onStep, signal } = this.#options;
    const { step, turn } = info;
    log.append({ type: 'action-started', step, code: turn.action });
    const observation = await onStep(info, () => environment.execute({ code: turn.action, step, signal }));
    log.append({ type: 'action-finished', step, success: observation.success });
    const text = render.observation({ observation, step });
    const extra = observationExtra(observation);
    this.#append([{ role: 'user', content: this.#withScreenshot({ text, observation }), extra }]);
    await this.#notePlan();
    return this.#checkRepeats(turn.action, text);
  }

  /** An image that did not change since it was last sent is not sent again. */
  #withScreenshot({ text, observation: { screenshot } }: { text: string; observation: Observation }): Message['content'] {
    if (!this.#options.attachScreenshot || !screenshot) return text;
    if (screenshot.sha256 === this.#shownImage) return `${text}\n[the screenshot has not changed]`;
    this.#shownImage = screenshot.sha256;
    return [{ type: 'text', text }, screenshot];
  }

  async #notePlan(): Promise<void> {
    const { environment, log, view } = this.#options;
    const plan = view.attachPlan ? await environment.plan?.() : null;
    if (!plan || plan === this.#plan) return;
    this.#plan = plan;
    log.append({ type: 'plan-noted', step: this.step, text: plan });
  }

  async #finish({ step, turn }: StepInfo, isLast: boolean): Promise<Message | undefined> {
    const answer = turn.final_response;
    if (/^\s*blocked\s*:\s*\S/i.test(answer)) {
      return this.#append([
        exitMessage({ exit_status: 'GaveUp', submission: '', final_response: answer, detail: answer.trim().slice(0, 500) }),
      ]);
    }
    const read = await this.#options.answer?.read(answer);
    if (read?.ok === false) {
      if (isLast) throw new Interrupt([exitMessage(this.#lastTurnExit(answer))]);
      throw new Interrupt([interruptMessage('AnswerFormat', read.error)]);
    }
    const decision = await this.#options.gate({ step, finalResponse: answer, signal: this.#options.signal });
    if ('exit' in decision) throw new Interrupt([exitMessage(decision.exit)]);
    const ungated = decision.passed && decision.verdict === null;
    if (isLast && (!decision.passed || ungated))
      throw new Interrupt([exitMessage(this.#lastTurnExit(answer, decision.passed ? '' : decision.message))]);
    if (!decision.passed) throw new Interrupt([interruptMessage('SelfReflectionGate', decision.message)]);
    return this.#append([exitMessage({ exit_status: 'Submitted', submission: answer, final_response: answer })]);
  }

  /** The limit that ends the attempt, and why its last `done` did not count. */
  #lastTurnExit(finalResponse: string, refusal = ''): ExitInfo {
    const { limits } = this.#options;
    const reached = reachedLimit({ limits, spent: this.#spent() }) ?? {
      limit: 'steps' as const,
      detail: `the last turn (${this.step}) did not finish the task`,
    };
    const detail = refusal === '' ? reached.detail : `${reached.detail}; done was refused: ${refusal.replace(/\s+/g, ' ').slice(0, 500)}`;
    return limitExit({ ...reached, detail, finalResponse });
  }

  #nudge(): Message | undefined {
    this.#noActionTurns += 1;
    const { limits, environment } = this.#options;
    if (this.#noActionTurns >= limits.noActionTurns) {
      const detail = `stalled: ${this.#noActionTurns} turns in a row without action and without done`;
      throw new Interrupt([exitMessage(limitExit({ limit: 'stalled', detail }))]);
    }
    throw new Interrupt([
      interruptMessage(
        'NoAction',
        `Nothing ran: ${environment.actionField} was empty and done was false. Send code to run, or done with the answer.`,
      ),
    ]);
  }

  #checkRepeats(action: string, observation: string): Message | undefined {
    const advice = this.#repeats({ action, observation });
    if (advice === 'end') {
      const detail = 'loop: the same action gave the same observation four times in a row';
      throw new Interrupt([exitMessage(limitExit({ limit: 'loop', detail }))]);
    }
    if (advice === 'nudge') {
      const text =
        'The same action gave the same observation three times in a row. Try something else, or end with an answer or "Blocked: …".';
      throw new Interrupt([interruptMessage('RepeatedAction', text)]);
    }
    return undefined;
  }
}
