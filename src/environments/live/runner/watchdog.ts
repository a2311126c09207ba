import { Worker } from 'node:worker_threads';

/**
 * Ends this process when the one that started it is gone, even in the middle of an endless loop: the thread has its own
 * clock, and a process that lost its parent gets another parent id.
 */
export function startWatchdog(): void {
  const code = `setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL'); }, 300);`;
  const thread = new Worker(code, { eval: true, stdout: false, stderr: false });
  thread.unref();
  thread.on('error', () => {});
}
