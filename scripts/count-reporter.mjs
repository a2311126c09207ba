import { writeFileSync } from 'node:fs';

/** Writes what a run came to into the file that WEBWRIGHT_COUNTS names: { passed, failed, skipped: [{ title, reason }] }. */
export default class CountReporter {
  #tests = [];
  #errors = 0;

  printsToStdio() {
    return false;
  }

  onBegin(_config, suite) {
    this.#tests = suite.allTests();
  }

  /** An error outside of any test, such as a spec that does not load. */
  onError() {
    this.#errors += 1;
  }

  onEnd() {
    const counts = { passed: 0, failed: this.#errors, skipped: [] };
    for (const test of this.#tests) {
      const result = test.results.at(-1);
      if (test.outcome() === 'expected' && result.status !== 'skipped') counts.passed += 1;
      else if (test.outcome() === 'skipped')
        counts.skipped.push({ title: test.titlePath().filter(Boolean).join(' › '), reason: reason(test, result) });
      else counts.failed += 1;
    }
    writeFileSync(process.env.WEBWRIGHT_COUNTS, JSON.stringify(counts));
  }
}

function reason(test, result) {
  if (!result) return 'did not run';
  const annotation = [...result.annotations, ...test.annotations].find(({ type }) => type === 'skip' || type === 'fixme');
  return annotation?.description ?? (annotation ? 'no reason given' : 'did not run');
}
