import type { ReplySchema } from '../core/model.ts';
import type { CallFault } from './call-fault.ts';
import type { FormatLevel, OptionalParameter, WireRequest } from './wire.ts';

/** What has been learned about an endpoint from its refusals; kept for the life of a model. */
export interface Adaptations {
  level: FormatLevel;
  without: Set<OptionalParameter>;
  /** Images are sent at half their size. */
  shrunk: boolean;
}

const lower: Record<FormatLevel, FormatLevel | null> = { schema: 'json', json: 'plain', plain: null };

/** How refusals name each parameter, and whether the request had it. */
const parameters: { name: OptionalParameter; words: RegExp; sent: (request: WireRequest) => boolean }[] = [
  { name: 'temperature', words: /\btemperature\b/i, sent: request => request.temperature !== undefined },
  { name: 'seed', words: /\bseed\b/i, sent: request => request.seed !== undefined },
  { name: 'reasoningEffort', words: /reasoning|effort|thinking/i, sent: request => request.reasoningEffort !== undefined },
  { name: 'cacheKey', words: /prompt_cache_key|cache_control/i, sent: () => true },
  { name: 'streamUsage', words: /stream_options|include_usage/i, sent: request => request.stream },
  { name: 'outputLimitName', words: /max_completion_tokens|unsupported parameter.{0,20}max_tokens/i, sent: () => true },
];

const formatWords =
  /response_format|json[_ ]?schema|json[_ ]?object|text\.format|output_config\.format|output_format|structured|schema|tool_choice|support tools|grammar|requested parameters/i;
const sizeWords = /context length|context window|too long|too many tokens|maximum.{0,30}tokens/i;

/**
 * What to change after a refusal, in words for the log; null when nothing can be changed. One change at a time: a parameter
 * that the refusal names is left out, images are shrunk after a 413, the format drops one level (schema → JSON → plain).
 * Calls that were under way with the old settings change nothing a second time.
 */
export function adapt({
  fault,
  request,
  shrunk,
  known,
}: {
  fault: CallFault;
  request: WireRequest;
  /** Whether this request's images were shrunk already. */
  shrunk: boolean;
  known: Adaptations;
}): string | null {
  const hasImages = request.turns.some(turn => turn.parts.some(part => part.type === 'image'));
  if (fault.status === 413) {
    if (!hasImages || shrunk) return null;
    known.shrunk = true;
    return 'the request was too large (413): images are sent at half their size from now on';
  }
  if (![400, 404, 422, 500, 501].includes(fault.status ?? 0)) return null;
  const text = `${fault.about} ${fault.message}`;
  if (sizeWords.test(text)) return null;
  const parameter = fault.status === 500 ? undefined : parameters.find(({ words, sent }) => words.test(text) && sent(request));
  if (parameter && !request.without.has(parameter.name)) {
    known.without.add(parameter.name);
    return `the endpoint refused a parameter: ${parameter.name} is ${parameter.name === 'outputLimitName' ? 'changed' : 'left out'} from now on`;
  }
  if (!request.schema || !formatWords.test(text)) return null;
  const next = lower[request.level];
  if (!next) return null;
  if (known.level === request.level) known.level = next;
  return `the endpoint refused the ${request.level} format: ${next} is used from now on`;
}

/** Words that ask for the format where the endpoint does not enforce the schema. */
export function formatInstruction(schema: ReplySchema): string {
  return `Reply with exactly one JSON object and nothing else. It must follow this JSON schema:\n${JSON.stringify(schema.schema)}`;
}
