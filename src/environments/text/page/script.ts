import * as names from '../../live/page/names.ts';
import * as roles from '../../live/page/roles.ts';
import * as states from '../../live/page/states.ts';
import * as visibility from '../../live/page/visibility.ts';
import { isClickable } from '../../live/page/walk.ts';
import * as seeing from './see.ts';

const functions = [...[visibility, roles, names, states, seeing].flatMap(module => Object.values(module)), isClickable].map(String);

/** The expression to evaluate in a frame. Its value is what {@link seeing.seePage} returns. */
export function seeScript(limits: seeing.SeeLimits): string {
  return `(() => {\n${functions.join('\n')}\nreturn seePage(${JSON.stringify(limits)});\n})()`;
}
