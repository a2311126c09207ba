import { connect, type Socket } from 'node:net';
import type { AllowGroup } from '../../core/allow.ts';
import { createFrameReader, toFrame } from './frames.ts';
import { refusedAddress, refusedParameter } from './inspect.ts';
import { type Call, isRecord, parseCall } from './parse.ts';
import { type GuardKind, ruleFor } from './policy.ts';
import { createRegistry, type KnownObject } from './registry.ts';

/** Bounds of what a child may send. */
export interface GuardLimits {
  /** One message, in either direction. */
  frameBytes: number;
  /** Depth of its JSON. */
  depth: number;
  /** Calls that wait for their answer at the same time. */
  callsInFlight: number;
  /** Calls of one step (live) or command (workspace). */
  callsPerStep: number;
}

/** What all connections of a guard share. */
export interface GuardRules {
  kind: GuardKind;
  allow: readonly AllowGroup[];
  limits: GuardLimits;
  permitted(contextGuid: string): boolean;
  isKept(pageGuid: string): boolean;
  /** Counts a call; false when the step has had its share. */
  countCall(): boolean;
  refused(refusal: { call: string; group?: string | null; reason: string }): void;
  closed(reason: string): void;
}

/** A child's connection to the browser. */
export interface GuardedConnection {
  /** Shows a context that the harness permits from now on. */
  show(contextGuid: string): void;
  close(): void;
}

/** Both sides of one connection: calls are checked and passed on as they came, or answered with an error; of what comes back, the hidden is left out. */
export function guardConnection({
  child,
  target,
  rules,
  onClose,
}: {
  child: Socket;
  /** Path of the browser's socket. */
  target: string;
  rules: GuardRules;
  onClose: () => void;
}): GuardedConnection {
  const browser = connect(target);
  const registry = createRegistry({ permitted: rules.permitted });
  const inFlight = new Map<string | number, string>();
  let open = true;

  const close = () => {
    if (!open) return;
    open = false;
    child.destroy();
    browser.destroy();
    onClose();
  };
  const end = (reason: string) => {
    if (open) rules.closed(reason);
    close();
  };
  const write = (to: Socket, from: Socket, frame: Buffer) => {
    if (to.write(frame) || from.isPaused()) return;
    from.pause();
    to.once('drain', () => from.resume());
  };
  const toChild = (frames: Buffer[]) => {
    for (const frame of frames) write(child, browser, frame);
  };
  const fail = (id: Call['id'], name: string, message: string) => {
    // Whoever does not read answers is not read any further.
    if (id !== undefined) write(child, child, toFrame({ id, error: { error: { name, message, stack: '' } } }));
  };

  const onCall = (frame: Buffer) => {
    if (!open) return;
    const call = parseCall({ frame, maxDepth: rules.limits.depth });
    if (typeof call === 'string') return end(`it sent a message that is not one: ${call}`);
    if (call.id !== undefined && inFlight.has(call.id)) return end('it used the same number for two calls');
    const object = registry.find(call.guid);
    // Also what is gone already: the browser itself answers so.
    if (!object) return fail(call.id, 'TargetClosedError', 'Target page, context or browser has been closed');
    if (call.method === '__abort__') return write(browser, child, frame);
    const refusal = refusalOf({ call, object });
    if (refusal) {
      rules.refused({ call: `${object.type}.${call.method}`, ...refusal });
      return fail(call.id, 'Error', refusal.reason);
    }
    if (call.method !== '__waitInfo__') {
      if (call.id === undefined) return end('it sent a call without a number');
      inFlight.set(call.id, `${object.type}.${call.method}`);
    }
    write(browser, child, frame);
  };

  const refusalOf = ({ call, object }: { call: Call; object: KnownObject }): { reason: string; group?: string } | undefined => {
    if (!rules.countCall())
      return {
        reason: `This is more than ${rules.limits.callsPerStep} calls to the browser in one step. Read many elements with one call: locator.allInnerTexts() or locator.evaluateAll().`,
      };
    if (inFlight.size >= rules.limits.callsInFlight)
      return {
        reason: `More than ${rules.limits.callsInFlight} calls to the browser wait at the same time. Await them in smaller groups.`,
      };
    if (call.method === '__waitInfo__') return undefined;
    const name = `${object.type}.${call.method}`;
    const rule = ruleFor({ type: object.type, method: call.method });
    if (!rule) return { reason: `${name.slice(0, 80)} is not available here: it is not known.` };
    const instead = 'instead' in rule ? `This is not available here: ${rule.instead}` : '';
    if (rule.is === 'refused') return { reason: instead };
    if (rule.is === 'group' && !rules.allow.includes(rule.group)) return { reason: instead, group: rule.group };
    if (rule.is === 'own' && !object.context?.own) return { reason: instead };
    if (rule.is === 'not-kept' && rules.isKept(call.guid)) return { reason: instead };
    if (rule.is === 'script' && rules.kind !== 'script') return { reason: instead };
    if (rules.kind === 'live' && call.method === 'updateSubscription' && String(call.params['event']).startsWith('dialog'))
      return { reason: 'This is not available here: the harness answers dialogs.' };
    const address = addressOf({ call, object });
    if (address) return { reason: address };
    const parameter = refusedParameter({
      call: name,
      params: call.params,
      cookies: rules.allow.includes('cookies'),
      knows: guid => registry.find(guid) !== undefined,
    });
    return parameter === undefined ? undefined : { reason: `This is not available here: ${parameter}` };
  };

  const addressOf = ({ call, object }: { call: Call; object: KnownObject }): string | undefined => {
    const { url } = call.params;
    if (typeof url !== 'string') return undefined;
    if (call.method === 'goto') return refusedAddress({ url, base: object.context?.baseUrl });
    // Of a script, a style or a changed request: relative to a page of the web.
    return refusedAddress({ url, base: 'http://page.invalid/' });
  };

  const onAnswer = (frame: Buffer) => {
    if (!open) return;
    const { id, guid, method } = headOf(frame);
    if (id === undefined) return toChild(guid === undefined || method === undefined ? [] : registry.announce({ guid, method, frame }));
    const call = inFlight.get(id);
    inFlight.delete(id);
    if (call === 'Browser.newContext') toChild(ownContext(frame));
    toChild([frame]);
  };

  const ownContext = (frame: Buffer): Buffer[] => {
    const { result } = JSON.parse(frame.subarray(0, -1).toString()) as { result?: { context?: { guid?: string } } };
    return typeof result?.context?.guid === 'string' ? registry.show(result.context.guid, { own: true }) : [];
  };

  const { frameBytes } = rules.limits;
  const tooLong = (who: string) => () => end(`${who} sent a message of more than ${Math.round(frameBytes / 1e6)} MB`);
  child.on('data', createFrameReader({ maxBytes: frameBytes, onFrame: onCall, onFault: tooLong('it') }));
  browser.on('data', createFrameReader({ maxBytes: frameBytes, onFrame: onAnswer, onFault: tooLong('the browser') }));
  for (const socket of [child, browser]) {
    socket.on('error', close);
    socket.on('close', close);
  }
  return { show: contextGuid => toChild(registry.show(contextGuid, { own: false })), close };
}

/**
 * The head of a message from the browser. Playwright writes `id`, or `guid` and `method`, first; so the rest, which can be megabytes, need not
 * be read. What begins otherwise is parsed as a whole.
 */
function headOf(frame: Buffer): { id?: string | number | undefined; guid?: string | undefined; method?: string | undefined } {
  const head = frame.toString('latin1', 0, 300);
  const answer = /^\{"id":"([^"\\]*)"[,}]/.exec(head);
  if (answer) return { id: answer[1] };
  const event = /^\{"guid":"([^"\\]*)","method":"([^"\\]*)"[,}]/.exec(head);
  if (event) return { guid: event[1], method: event[2] };
  const message: unknown = JSON.parse(frame.subarray(0, -1).toString());
  if (!isRecord(message)) return {};
  const { id, guid, method } = message;
  return {
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    guid: typeof guid === 'string' ? guid : undefined,
    method: typeof method === 'string' ? method : undefined,
  };
}
