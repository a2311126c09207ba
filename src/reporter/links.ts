import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';
import type { Entry } from './entries.ts';
import type { Link } from './page.ts';

const evidence = [
  ['steps', 'debug/steps.md'],
  ['verdict', 'verdict.json'],
  ['trajectory', 'trajectory.json'],
  ['script', 'script.mjs'],
  ['script', 'workspace/final_script.mjs'],
  ['folder', '.'],
] as const;

/**
 * What the page can link to for an entry: the test in Playwright's HTML report, where that is being written, and the files of its run
 * folder that are on this machine (after a merge of shards from elsewhere, none).
 */
export function linksOf({ entry, project, page, report }: { entry: Entry; project: string; page: string; report: string | null }): Link[] {
  const href = (path: string) => relative(page, path).split(/[\\/]/).map(encodeURIComponent).join('/');
  const links: Link[] =
    report === null ? [] : [{ label: 'report', href: `${href(join(report, 'index.html'))}#?testId=${encodeURIComponent(entry.test.id)}` }];
  const folder = entry.attempt?.runFolder;
  if (!folder) return links;
  const existing = evidence.filter(([, path]) => existsSync(join(project, folder, path)));
  return [...links, ...existing.map(([label, path]) => ({ label, href: href(join(project, folder, path)) }))];
}

/** The folder of Playwright's HTML report in this run, or null when none is written. */
export function htmlReportFolder({ config, project }: { config: Pick<FullConfig, 'reporter'>; project: string }): string | null {
  const html = config.reporter.find(([name]) => name === 'html');
  if (!html) return null;
  const options: { outputFolder?: string } = html[1] ?? {};
  return join(project, process.env['PLAYWRIGHT_HTML_OUTPUT_DIR'] ?? options.outputFolder ?? 'playwright-report');
}
