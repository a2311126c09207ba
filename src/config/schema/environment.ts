import { z } from 'zod';
import { allowGroups } from '../../core/allow.ts';
import { egressModes } from '../../core/egress.ts';
import { count, seconds, shippedOrModule } from './values.ts';

/** Rungs of the sandbox ladder, strongest first. There is none below `process`: code of the model never runs inside the test worker. */
const rung = () => z.enum(['bwrap', 'uid', 'process']).nullable();

export const environmentSchema = z.strictObject({
  environment_class: shippedOrModule(['live', 'workspace', 'text']).describe(
    "Where the agent acts: `live` (the page in the runner's browser), `workspace` (a shell and files), `text` (numbered elements), or a module such as `./my-env.ts#MyEnv`.",
  ),
  step_timeout_seconds: seconds().describe('How long one piece of `playwright_code` may run before it is killed (live).'),
  command_timeout_seconds: seconds().describe('How long one `bash_command` may run before it is killed (workspace).'),
  output_chars: count().describe('Output of one action that the agent sees: head and tail; the rest is in the log.'),
  observation_chars: count().describe('Size of the page view in one observation (live, text).'),
  aria_mode: z.enum(['folded', 'full', 'off']).describe('The page view: `folded` shortens long lists, `full` does not, `off` shows none.'),
  browser_mode: z
    .enum(['local', 'launch', 'browserbase'])
    .describe(
      'Where scripts have their browser (workspace): `local` (the harness gives pages of its own browser), `launch` (each script starts one; what it shows are claims) or `browserbase` (as `local`, in their cloud).',
    ),
  persistent_browser: z
    .boolean()
    .describe(
      'One browser context for the whole attempt instead of a fresh one per script: scripts find the page as the last one left it (workspace).',
    ),
  wait_for_person: z
    .string()
    .regex(/^(url:.+|selector:.+|enter)$/, 'expected url:<pattern>, selector:<selector> or enter')
    .nullable()
    .describe(
      'Give the opened page to a person, to log in for example, until it is at an address (`url:**/account`), shows something (`selector:#account`), or they press Enter (`enter`); the agent goes on in the same tab (live, text; headed or attached).',
    ),
  prompt_before_close: z
    .boolean()
    .describe('Wait for Enter before the page is closed (`webwright run --headed`, `local_cdp`, `local_persistent`).'),
  keep_open_on_exit: z
    .boolean()
    .describe('Leave the browser to the person afterwards (`webwright run --headed`, `local_cdp`, `local_persistent`).'),
  person_timeout_seconds: seconds().describe('How long a person is waited for, each time. The clock of the test is stopped meanwhile.'),
  allow: z
    .array(z.enum(allowGroups))
    .describe(
      "What the guard before the browser lets the agent's code do besides: `route`, `init_script`, `bindings`, `content` (`page.setContent`), `clock`, `cookies`, `offline`. Each can forge what is judged, or read the test's session; results name them.",
    ),
  env: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))
    .describe('Environment variables for commands (workspace). Values are treated as secrets: never shown, never kept.'),
  credentials_file: z.string().min(1).nullable().describe('File with lines `export NAME=value`, passed to commands, treated as secrets.'),
  egress: z
    .enum(egressModes)
    .describe(
      'Where the browser, and commands in a box, may connect to while an agent runs: `public` (any public host; this machine and private networks only when the task names them), `allow-list` (only what the task names), `off` (only the embedded sites). See docs/egress.md.',
    ),
  egress_allow: z
    .array(z.string().min(1))
    .describe(
      'More hosts that the task names: `shop.example`, `*.shop.example`, `localhost:3000`, `10.1.0.0/16`; with `:*` every port. Start URLs, `baseURL`, the page at the start and the hosts of `sites` are named already.',
    ),
  sandbox: z
    .strictObject({
      use: rung().describe(
        'The rung to use, also when a stronger one would hold: `bwrap` (namespaces), `uid` (another user; root only) or `process` (plain processes of your user); null = the strongest whose self-test passes.',
      ),
      require: rung().describe('Refuse to start below this rung; null = any.'),
    })
    .describe('What holds the processes that run code written by the model.'),
});
