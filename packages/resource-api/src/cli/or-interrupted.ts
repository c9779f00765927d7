const SAID = {
  dry: 'interrupted: nothing was written',
  apply:
    'interrupted: the file is imported whole or not at all. Run the same command again: what the book has already changes nothing',
};

/** Says what stands when somebody presses Ctrl-C during an import. The process then ends by the signal. */
export async function orInterrupted<T>(
  importing: Promise<T>,
  apply: boolean,
  cleanUp?: () => void,
): Promise<T> {
  const interrupted = () => {
    cleanUp?.();
    process.stderr.write(`\n${SAID[apply ? 'apply' : 'dry']}\n`);
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', interrupted);
  return importing.finally(() => process.off('SIGINT', interrupted));
}
