import { toFrame } from './frames.ts';
import { isRecord } from './parse.ts';

/** A context of the browser, and whether the child may know of it. */
export interface ContextEntry {
  guid: string;
  shown: boolean;
  /** The child has made it through this connection. */
  own: boolean;
  baseUrl: string | undefined;
  /** What the browser has told about it so far, in case it is shown later; undefined once that is too much. */
  held: Buffer[] | undefined;
  heldBytes: number;
}

/** An object of the browser. */
export interface KnownObject {
  type: string;
  context: ContextEntry | undefined;
  /** Made for a context that has not been announced yet. */
  loose: boolean;
  parent: string;
  children: Set<string>;
}

/** This much is held back of a context that is not shown. */
const maxHeldBytes = 4_000_000;
/** Options of a context that hold the test's secrets. The child's Playwright does not need them. */
const secretOptions = ['storageState', 'httpCredentials', 'proxy', 'clientCertificates', 'extraHTTPHeaders'];

/** What one connection knows of the browser's objects, and what it keeps from the child. */
export interface Registry {
  /** Takes a message that is no answer; returns what is passed on now. */
  announce(message: { guid: string; method: string; frame: Buffer }): Buffer[];
  /** Shows a context, now or when it appears; returns what was held back. */
  show(guid: string, options: { own: boolean }): Buffer[];
  /** An object the child may know of. */
  find(guid: string): KnownObject | undefined;
}

/**
 * Follows `__create__`, `__adopt__` and `__dispose__`. Only contexts that are permitted, or made by the child, are announced to it, with
 * everything below them; what the browser tells about the others is held back, as a context may be permitted a moment after it was made.
 */
export function createRegistry({ permitted }: { permitted: (contextGuid: string) => boolean }): Registry {
  const objects = new Map<string, KnownObject>([['', { type: 'Root', context: undefined, loose: false, parent: '', children: new Set() }]]);
  const contexts = new Map<string, ContextEntry>();
  /** The debugger, requests and tracing of a context are announced right before it. */
  let loose: { guid: string; frame: Buffer }[] = [];

  const deliver = (context: ContextEntry | undefined, frame: Buffer): Buffer[] => {
    if (!context || context.shown) return [frame];
    context.heldBytes += frame.length;
    if (context.heldBytes > maxHeldBytes) context.held = undefined;
    // A copy: the chunk it came in may be large.
    else context.held?.push(Buffer.from(frame));
    return [];
  };

  const create = (parentGuid: string, frame: Buffer): Buffer[] => {
    const { params } = JSON.parse(frame.subarray(0, -1).toString()) as {
      params: { type: string; guid: string; initializer: Record<string, unknown> };
    };
    const { type, guid, initializer } = params;
    const parent = objects.get(parentGuid);
    if (!parent) return [];
    parent.children.add(guid);
    const entry: KnownObject = { type, context: parent.context, loose: parent.loose, parent: parentGuid, children: new Set() };
    objects.set(guid, entry);
    if (type === 'BrowserContext') return createContext({ guid, entry, parentGuid, initializer });
    if (parent.type === 'Browser') entry.loose = true;
    if (entry.loose) {
      loose.push({ guid, frame });
      return [];
    }
    const told =
      type === 'Artifact'
        ? toFrame({ guid: parentGuid, method: '__create__', params: { ...params, initializer: { absolutePath: '' } } })
        : frame;
    return deliver(entry.context, told);
  };

  const createContext = ({
    guid,
    entry,
    parentGuid,
    initializer,
  }: {
    guid: string;
    entry: KnownObject;
    parentGuid: string;
    initializer: Record<string, unknown>;
  }): Buffer[] => {
    const options = isRecord(initializer['options']) ? { ...initializer['options'] } : {};
    const baseUrl = typeof options['baseURL'] === 'string' ? options['baseURL'] : undefined;
    for (const name of secretOptions) delete options[name];
    if (isRecord(options['recordVideo'])) options['recordVideo'] = { ...options['recordVideo'], dir: '' };
    const context: ContextEntry = { guid, shown: permitted(guid), own: false, baseUrl, held: [], heldBytes: 0 };
    contexts.set(guid, context);
    entry.context = context;
    const before = loose;
    loose = [];
    for (const each of before) {
      const object = objects.get(each.guid);
      if (object) Object.assign(object, { context, loose: false });
    }
    const told = toFrame({
      guid: parentGuid,
      method: '__create__',
      params: { type: 'BrowserContext', guid, initializer: { ...initializer, options } },
    });
    return [...before.map(each => each.frame), told].flatMap(frame => deliver(context, frame));
  };

  const adopt = (parentGuid: string, frame: Buffer): Buffer[] => {
    const { params } = JSON.parse(frame.subarray(0, -1).toString()) as { params: { guid: string } };
    const child = objects.get(params.guid);
    const parent = objects.get(parentGuid);
    if (!child || !parent) return [];
    objects.get(child.parent)?.children.delete(params.guid);
    child.parent = parentGuid;
    parent.children.add(params.guid);
    if (!child.loose) return deliver(child.context, frame);
    loose.push({ guid: params.guid, frame });
    return [];
  };

  const forget = (guid: string) => {
    const entry = objects.get(guid);
    if (!entry) return;
    objects.delete(guid);
    objects.get(entry.parent)?.children.delete(guid);
    if (entry.type === 'BrowserContext') contexts.delete(guid);
    for (const child of entry.children) forget(child);
  };

  return {
    announce({ guid, method, frame }) {
      if (method === '__create__') return create(guid, frame);
      if (method === '__adopt__') return adopt(guid, frame);
      const entry = objects.get(guid);
      if (!entry) return [];
      let context = entry.context;
      if (entry.type === 'Browser' && method === 'context') {
        const { params } = JSON.parse(frame.subarray(0, -1).toString()) as { params: { context: { guid: string } } };
        context = contexts.get(params.context.guid);
        if (!context) return [];
      }
      if (method === '__dispose__') forget(guid);
      return entry.loose ? [] : deliver(context, frame);
    },
    show(guid, { own }) {
      const context = contexts.get(guid);
      if (!context) return [];
      context.own ||= own;
      if (context.shown || !context.held) return [];
      const held = context.held;
      context.shown = true;
      context.held = [];
      return held;
    },
    find(guid) {
      const entry = objects.get(guid);
      return entry && !entry.loose && (!entry.context || entry.context.shown) ? entry : undefined;
    },
  };
}
