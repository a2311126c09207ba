import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EndpointConfig } from '../../config/judge-model.ts';
import { WebwrightError } from '../../core/errors.ts';
import { baseUrlFor, keyFor, keyVariable, type ModelClass, shownUrl } from '../../models/keys.ts';
import { type Finding, missing, ok } from './check.ts';

/** Whether the configured model could be asked: a name, an address and a key where one is needed. Nothing is sent anywhere. */
export function modelFinding({
  endpoint,
  env,
  cwd,
  section,
}: {
  endpoint: EndpointConfig;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  section: 'model' | 'judge.model';
}): Finding {
  const { model_class: modelClass, model_name: modelName } = endpoint;
  if (modelClass === 'scripted') return ok('scripted: given by the tests');
  if (modelClass === 'recorded') return recordingsFinding(resolve(cwd, endpoint.recordings ?? 'fixtures/recordings'));
  if (!isEndpoint(modelClass)) return ok(`${modelClass}: of your own, not checked`);
  if (!modelName) return missing(`${section}.model_name is not set`, `-c model_openai.yaml, or -c ${section}.model_name=<model id>`);
  const given = { apiKey: endpoint.api_key ?? undefined, apiKeyEnv: endpoint.api_key_env ?? undefined };
  try {
    const baseUrl = baseUrlFor({ modelClass, baseUrl: endpoint.base_url ?? undefined, env });
    const key = keyFor({ modelName, baseUrl, ...given, ownVariable: keyVariable({ modelClass, baseUrl }), env });
    const how = key ? 'key present' : 'no key needed on this machine';
    return ok(`${modelName} at ${shownUrl(baseUrl)}, ${how}`);
  } catch (error) {
    if (!(error instanceof WebwrightError)) throw error;
    return missing(`${error.what}: ${error.seen}`, error.remedy ?? '');
  }
}

function recordingsFinding(folder: string): Finding {
  return existsSync(folder)
    ? ok(`recorded: ${folder}`)
    : missing(`no recordings in ${folder}`, 'set model.recordings to the folder that has them');
}

function isEndpoint(modelClass: string): modelClass is ModelClass {
  return ['openai', 'anthropic', 'chat'].includes(modelClass);
}
