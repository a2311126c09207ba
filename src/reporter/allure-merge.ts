import type { FullConfig } from '@playwright/test';
import { AllureReporter } from 'allure-playwright';

/**
 * Allure's reporter for merge configs. While shards are merged the projects become known only after the config, on which allure-playwright 3.12
 * fails ("reading 'outputDir'"), and a reporter that failed once makes `merge-reports` exit with 1. A default export, since Playwright demands one.
 */
export default class AllureMergeReporter extends AllureReporter {
  override onConfigure(config: FullConfig): void {
    this.config = config;
    // Used for the images of failed comparisons only, to find them beside the snapshot.
    this.outputDir = config.rootDir;
    this.snapshotDir = config.rootDir;
  }
}
