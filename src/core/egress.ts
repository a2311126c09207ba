/** `public`: any public host, others only when named. `allow-list`: only what is named. `off`: only sites that run in this process. */
export const egressModes = ['public', 'allow-list', 'off'] as const;
export type EgressMode = (typeof egressModes)[number];
