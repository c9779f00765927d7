/**
 * Does the work again and again, one run at a time, without keeping the process alive for it.
 *
 * @param work never throws.
 */
export function regularly(work: () => Promise<void>, everyMs: number): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work().finally(() => {
      running = undefined;
    });
  }, everyMs);
  timer.unref();
  return {
    /** Waits for the run that is under way. */
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
