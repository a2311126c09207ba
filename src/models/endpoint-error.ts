import { ModelCallError, type ModelCallFailure } from '../core/errors.ts';
import type { Usage } from '../core/usage.ts';
import type { CallFault } from './call-fault.ts';
import { shownUrl } from './keys.ts';

/** The error a caller meets: the model, the endpoint, what was seen, and what to set. It has no cause, because SDK errors carry headers. */
export function callError({
  fault,
  modelName,
  baseUrl,
  keyVariable,
  shown,
  attempts,
  usage,
}: {
  fault: CallFault;
  modelName: string;
  baseUrl: string;
  keyVariable: string;
  /** Redacts and cuts what an endpoint said. */
  shown: (text: string) => string;
  attempts: number;
  usage: Usage;
}): ModelCallError {
  return new ModelCallError({
    failure: fault.failure,
    status: fault.status,
    attempts,
    usage,
    what: shown(`Model ${modelName} at ${shownUrl(baseUrl)}: ${summaries[fault.failure]}`),
    seen: shown(fault.message),
    remedy: remedyFor({ failure: fault.failure, status: fault.status, variable: keyVariable }),
  });
}

const summaries: Record<ModelCallFailure, string> = {
  unreachable: 'the endpoint could not be reached',
  'server-error': 'the endpoint is in trouble',
  'rate-limit': 'the rate limit was reached',
  quota: 'the quota or credit is used up',
  auth: 'the key was refused',
  'bad-request': 'the request was refused',
  'bad-reply': 'no usable reply came back',
  deadline: 'no reply came in time',
  budget: 'the budget is used up',
  recording: 'no recording answers this call',
  aborted: 'the call was aborted',
};

function remedyFor({ failure, status, variable }: { failure: ModelCallFailure; status: number | undefined; variable: string }): string {
  switch (failure) {
    case 'unreachable':
      return 'is the server running, and is model.base_url right?';
    case 'auth':
      return `set ${variable} to a key that may use this model`;
    case 'quota':
      return `add credit to the account of ${variable}, or choose another model.model_name or model.base_url`;
    case 'rate-limit':
      return 'run with fewer --workers, or raise model.total_timeout_seconds';
    case 'server-error':
      return 'try again later, or set model.base_url or model.model_name to another endpoint or model';
    case 'deadline':
      return 'raise model.request_timeout_seconds and model.total_timeout_seconds, or choose a faster model.model_name';
    case 'bad-request':
      if (status === 413) return 'the request is too large even with small images: set model.model_name to a model that takes more';
      return 'check model.model_name and model.base_url (for chat and openai it usually ends in /v1)';
    default:
      return 'check that model.base_url speaks the protocol of model.model_class';
  }
}
