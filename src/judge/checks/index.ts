export type { CheckContext } from './check-kind.ts';
export { checkKinds, runChecks, validateChecks } from './run-checks.ts';
