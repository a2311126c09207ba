import { test } from '@playwright/test';

/** Runs before the benchmark, so that a missing key is one failure and not two hundred. */
test('a model is configured', () => {
  const { OPENAI_API_KEY, ANTHROPIC_API_KEY, WEBWRIGHT_CONFIG } = process.env;
  if (OPENAI_API_KEY || ANTHROPIC_API_KEY || WEBWRIGHT_CONFIG) return;
  const error = new Error(
    'Odysseys needs a real model, and no key is set.\n' +
      '  try:  OPENAI_API_KEY=… npx playwright test tasks/odysseys, or ANTHROPIC_API_KEY=…,\n' +
      '        or WEBWRIGHT_CONFIG=model_local.yaml for a model of your own',
  );
  error.stack = error.message;
  throw error;
});
