/** What a test's author can open with `environment.allow`; results name each, because it can forge what is judged, or read the test's session. */
export const allowGroups = ['route', 'init_script', 'bindings', 'content', 'clock', 'cookies', 'offline'] as const;

/** One of {@link allowGroups}. */
export type AllowGroup = (typeof allowGroups)[number];
