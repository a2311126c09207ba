// npm run demo: the embedded tasks, solved by an agent in a real browser, with the judge's verdict as the test result.
import { playwright } from './process.mjs';
import { setUp } from './setup.mjs';

await setUp();
const code = await playwright(['test', 'tasks/mini', ...process.argv.slice(2)]);
console.log(`
Every step of every attempt:  reports/html/index.html       (npx playwright show-report reports/html)
Rates and outcomes:           reports/benchmark/index.html
The same for Allure:          npx allure generate reports/allure-results`);
process.exit(code);
