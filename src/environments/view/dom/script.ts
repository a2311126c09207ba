import * as fields from './fields.ts';
import * as groups from './groups.ts';
import * as names from './names.ts';
import * as roles from './roles.ts';
import * as states from './states.ts';
import * as visibility from './visibility.ts';
import * as walking from './walk.ts';

const functions = [visibility, roles, names, states, groups, walking].flatMap(module => Object.values(module)).map(String);

/** The expression to evaluate in a page: all functions of this folder, then the walk. Its value is a `PageTree`. */
export function pageScript(limits: walking.WalkLimits): string {
  return `(() => {\n${functions.join('\n')}\nreturn walkPage(${JSON.stringify(limits)});\n})()`;
}

const wordFunctions = [visibility, roles, names, states, fields].flatMap(module => Object.values(module)).map(String);

/** The expression whose value is what {@link fields.readDocument} returns. */
export function documentScript(limits: Parameters<typeof fields.readDocument>[0]): string {
  return `(() => {\n${wordFunctions.join('\n')}\nreturn readDocument(${JSON.stringify(limits)});\n})()`;
}
