import { join, resolve } from 'node:path';
import { judgeEndpoint } from '../../config/judge-model.ts';
import { isModuleSpec, makeFromModule } from '../../config/load-export.ts';
import type { Config } from '../../config/schema/index.ts';
import type { Model } from '../../core/model.ts';
import { createRedactor } from '../../core/redact.ts';
import { totalTokens } from '../../core/usage.ts';
import { type JudgeConfiguration, judgeConfiguration } from '../../judge/judge-configuration.ts';
import { readScorerPrompt } from '../../judge/scorer-prompt.ts';
import { attemptBudget } from '../../models/budget.ts';
import { endpointOf } from '../../models/endpoint-of.ts';
import { shownUrl } from '../../models/keys.ts';
import { createLedger } from '../../models/ledger.ts';
import { metered } from '../../models/ledger-metered.ts';
import { loadPrices, priceOf } from '../../models/prices.ts';
import { loadStack } from '../load-stack.ts';
import type { Io } from '../verb.ts';

/** The configured judge, for verbs that judge without a browser. */
export interface OpenJudge {
  config: Config;
  configuration: JudgeConfiguration;
  /** What `judge.scorer_prompt` names. */
  scorerPrompt: string | undefined;
  /** Where it is asked, for people. */
  endpoint: string;
  /** The judge with a budget of its own (`budget.*`), for one attempt. */
  forAttempt(): Model;
  /** One line: calls, tokens and money so far. */
  spentText(): string;
}

/** Makes the judge that `-c` and `WEBWRIGHT_CONFIG` name. A missing model or key is an error here, before anything is spent. */
export async function openJudge({ specs, io }: { specs: string[]; io: Io }): Promise<OpenJudge> {
  const { config, secrets } = loadStack({ specs, io });
  const { endpoint } = judgeEndpoint(config);
  const scorerPrompt = readScorerPrompt({ config, root: io.cwd });
  const redact = createRedactor({ secrets });
  const prices = priceOf(
    loadPrices(config.model.prices === null ? join(io.packageRoot, 'config', 'prices.yaml') : resolve(io.cwd, config.model.prices)),
  );
  const model = isModuleSpec(endpoint.model_class)
    ? await makeFromModule<Model>({
        key: 'judge.model.model_class',
        spec: endpoint.model_class,
        root: io.cwd,
        context: { config: endpoint, redact },
      })
    : endpointOf({
        settings: endpoint,
        env: { ...io.env },
        redact,
        priceOf: prices,
        onEvent: event =>
          io.warn(event.type === 'note' ? event.text : `judge: ${event.key}: ${event.detail}; again in ${Math.ceil(event.waitMs)} ms`),
      });
  const ledger = createLedger();
  return {
    config,
    configuration: judgeConfiguration({ model, config, scorerPrompt }),
    scorerPrompt,
    endpoint: endpoint.base_url === null ? endpoint.model_class : shownUrl(endpoint.base_url),
    forAttempt: () =>
      metered({
        model,
        ledger,
        budgets: [attemptBudget({ limits: config.budget, now: () => performance.now(), onWarning: io.warn })],
        priceOf: prices,
        maxOutputTokens: endpoint.max_output_tokens,
      }),
    spentText() {
      const { calls, usage, costUsd } = ledger.total();
      return `${calls} judge calls, ${totalTokens(usage).toLocaleString('en-US')} tokens, ${costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`}`;
    },
  };
}
