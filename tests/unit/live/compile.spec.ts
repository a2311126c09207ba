import { expect, test } from '@playwright/test';
import { compileStep, stepPrefix } from '../../../src/environments/live/compile.ts';

const error = (code: string) => {
  const compiled = compileStep({ code, step: 1 });
  return compiled.ok ? '' : compiled.error;
};

test('TypeScript is blanked out in place: lines and columns stay', () => {
  const code = 'const n: number = 1;\ninterface Row { a: string }\nreturn (n as unknown as string)!;';
  const compiled = compileStep({ code, step: 1 });
  expect(compiled.ok && compiled.js).toBe(`(async () => {const n         = 1;\n${' '.repeat(27)}\nreturn (n                     ) ;\n})`);
});

test('template strings keep their own indentation, and comments alone are code', () => {
  const compiled = compileStep({ code: 'return `a\n  b`; // end', step: 1 });
  expect(compiled.ok && compiled.js.slice(stepPrefix.length)).toBe('return `a\n  b`; // end\n})');
  expect(compileStep({ code: '// nothing to do', step: 1 }).ok).toBe(true);
});

test('A10 errors name the line and column of the model', () => {
  expect(error('const a = ;')).toBe('SyntaxError: Expression expected\n    at line 1, column 11: const a = ;');
  expect(error('let x = 1;\nlet x = 2;')).toContain('line 2');
  expect(error('let ok;\n  enum Color { Red }')).toMatch(
    /^TypeScript that is not supported: .*enum.*\n {4}at line 2, column 3: enum Color/,
  );
  expect(error("import fs from 'node:fs'")).toContain("await import('node:fs')");
  expect(error('if (true) {')).toContain('at line 1');
});
