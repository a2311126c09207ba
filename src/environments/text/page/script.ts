import * as names from '../../view/dom/names.ts';
import * as roles from '../../view/dom/roles.ts';
import * as states from '../../view/dom/states.ts';
import * as visibility from '../../view/dom/visibility.ts';
import { isClickable } from '../../view/dom/walk.ts';
import * as seeing from './see.ts';

const functions = [...[visibility, roles, names, states, seeing].flatMap(module => Object.values(module)), isClickable].map(String);

/** The expression to evaluate in a frame. Its value is what {@link seeing.seePage} returns. */
export function seeScript(limits: seeing.SeeLimits): string {
  return `(() => {\n${functions.join('\n')}\nreturn seePage(${JSON.stringify(limits)});\n})()`;
}
