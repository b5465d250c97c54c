/** What `work` ends with, or a rejection with what `late` gives after `ms`; the work itself goes on unheeded. */
export async function withDeadline<T>(
  work: Promise<T>,
  ms: number,
  late = () => new Error(`not done within ${ms} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
