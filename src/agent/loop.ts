import { createHash } from 'node:crypto';
import type { Environment, Observation } from '../core/environment.ts';
import type { ExitInfo } from '../core/exit.ts';
import type { Message } from '../core/messages.ts';
import type { Model, ModelReply } from '../core/model.ts';
import { type Turn, turnSchema } from '../core/turn.ts';
import type { EventLog } from '../record/event-log.ts';
import type { AnswerFormat } from './answer-format.ts';
import type { createCompaction } from './compaction.ts';
import type { Gate } from './gate.ts';
import { exitMessage, Interrupt, interruptMessage } from './interrupt.ts';
import { type Limits, limitExit, reachedLimit, type Spent, usedShare } from './limits.ts';
import { parseTurn } from './parse-turn.ts';
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

/** Repair calls inside one turn (webwright.md §1.7). */
const maxRepairs = 3;

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
  #repeats = { digest: '', count: 0 };
  #inputTokens = 0;

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
      await onTurnEnd(this.step);
    }
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

  /** One reply that parses and whose code has no syntax error, with up to three repair calls that show the model its own bad reply. */
  async #query(): Promise<StepInfo> {
    const { model, environment, log, view, signal, render } = this.#options;
    const { actionField } = environment;
    const messages = contextView(log.events, view);
    const repairs: Message[] = [];
    for (let repair = 0; repair <= maxRepairs; repair += 1) {
      const key = repair === 0 ? `step-${this.step}` : `step-${this.step}/repair-${repair}`;
      const reply = await model.complete({
        role: 'agent',
        key,
        messages: [...messages, ...repairs],
        schema: turnSchema(actionField),
        signal,
      });
      this.#inputTokens = reply.usage.inputTokens;
      const parsed = parseTurn({ text: reply.text, finishReason: reply.finishReason, actionField });
      const error = parsed.ok ? await this.#syntaxError(parsed.turn) : parsed.error;
      if (parsed.ok && error === null) {
        this.#formatErrors = 0;
        return { step: this.step, turn: parsed.turn, reply };
      }
      repairs.push(
        { role: 'assistant', content: reply.text.slice(0, 4_000) || '(empty reply)', extra: { malformed: true } },
        interruptMessage('FormatError', render.formatError({ error: error ?? '' }), { model_response: reply.text.slice(0, 20_000) }),
      );
    }
    this.#formatErrors += 1;
    const lastTry = repairs.slice(-2);
    if (this.#formatErrors < this.#options.limits.formatErrors) throw new Interrupt(lastTry);
    const detail = `format_errors: ${this.#formatErrors} turns in a row without a usable reply`;
    throw new Interrupt([...lastTry, exitMessage(limitExit({ limit: 'format_errors', detail }))]);
  }

  async #syntaxError({ action, done }: Turn): Promise<string | null> {
    if (action.trim() === '' || done) return null;
    return this.#options.environment.syntaxError(action);
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
    const { environment, log, render, onStep, attachScreenshot, signal } = this.#options;
    const { step, turn } = info;
    log.append({ type: 'action-started', step, code: turn.action });
    const observation = await onStep(info, () => environment.execute({ code: turn.action, step, signal }));
    log.append({ type: 'action-finished', step, success: observation.success });
    const text = render.observation({ observation, step });
    const { prunable, base_step, ...fields } = observation.fields;
    const extra = {
      observation: { success: observation.success, exception: observation.exception, ...fields },
      ...(prunable === undefined ? {} : { prunable }),
      ...(base_step === undefined ? {} : { base_step }),
    };
    const content = attachScreenshot && observation.screenshot ? [{ type: 'text' as const, text }, observation.screenshot] : text;
    this.#append([{ role: 'user', content, extra }]);
    return this.#checkRepeats(turn.action, text);
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
    if (isLast && (!decision.passed || ungated)) throw new Interrupt([exitMessage(this.#lastTurnExit(answer))]);
    if (!decision.passed) throw new Interrupt([interruptMessage('SelfReflectionGate', decision.message)]);
    return this.#append([exitMessage({ exit_status: 'Submitted', submission: answer, final_response: answer })]);
  }

  #lastTurnExit(finalResponse: string): ExitInfo {
    const { limits } = this.#options;
    const reached = reachedLimit({ limits, spent: this.#spent() }) ?? {
      limit: 'steps' as const,
      detail: `the last turn (${this.step}) did not finish the task`,
    };
    return limitExit({ ...reached, finalResponse });
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

  /** The same action with the same observation three times: a nudge; once more: the end. */
  #checkRepeats(action: string, observation: string): Message | undefined {
    const digest = createHash('sha256')
      .update(JSON.stringify([action, observation.replace(/step[_ -]?\d+/gi, 'step')]))
      .digest('hex');
    this.#repeats = { digest, count: this.#repeats.digest === digest ? this.#repeats.count + 1 : 1 };
    if (this.#repeats.count > 3) {
      throw new Interrupt([
        exitMessage(limitExit({ limit: 'loop', detail: 'loop: the same action gave the same observation four times in a row' })),
      ]);
    }
    if (this.#repeats.count === 3)
      throw new Interrupt([
        interruptMessage(
          'RepeatedAction',
          'The same action gave the same observation three times in a row. Try something else, or end with an answer or "Blocked: …".',
        ),
      ]);
    return undefined;
  }
}
