/** How an attempt ended (DESIGN §4). */
export type ExitStatus = 'Submitted' | 'LimitsExceeded' | 'GaveUp' | 'EnvironmentError' | 'ModelError' | 'Interrupted';

/** Which limit ended it. */
export type LimitName = 'steps' | 'time' | 'tokens' | 'cost' | 'format_errors' | 'stalled' | 'loop' | 'reflections';

/** `extra` of the exit message, the last message of every attempt. */
export interface ExitInfo {
  exit_status: ExitStatus;
  /** The answer as submitted; empty unless the agent finished. */
  submission: string;
  final_response: string;
  limit?: LimitName;
  /** One line: the limit, the error or the obstacle. */
  detail?: string;
  /** Cut by something outside the attempt: its outcome is `skipped`, with what it has. */
  skipped?: 'budget';
  /** For errors: whether the endpoint was unreachable, and whether the agent had acted before (headline rate, DESIGN §7). */
  unreachable?: boolean;
}
