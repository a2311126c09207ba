import type { Verb } from './verb.ts';

/** Every verb and its file; loaded only when it is used, so that `help` is instant. */
export const verbs: Record<string, () => Promise<Verb>> = {
  run: async () => (await import('./run.ts')).run,
  config: async () => (await import('./config.ts')).config,
  doctor: async () => (await import('./doctor.ts')).doctor,
  'self-reflection': async () => (await import('./self-reflection.ts')).selfReflection,
  rescore: async () => (await import('./rescore.ts')).rescoreRuns,
  calibrate: async () => (await import('./calibrate.ts')).calibrate,
  export: async () => (await import('./export.ts')).exportRun,
  verify: async () => (await import('./verify.ts')).verify,
  help: async () => (await import('./help.ts')).help,
};
