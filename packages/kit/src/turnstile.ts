/**
 * Lets so many through in each turn of the event loop, in their order. Hundreds of things that come due together (a
 * commit's deliveries, time-outs of requests that were begun together) would else be done in one go, while everything
 * else that this process has to do stands still.
 */
export interface Turnstile {
  pass(begin: () => void): void;
  /** Resolves when it is one's turn. */
  turn(): Promise<void>;
}

export function createTurnstile(perTurn: number): Turnstile {
  const waiting: (() => void)[] = [];
  let isTurnComing = false;

  const scheduleTurn = () => {
    if (isTurnComing || waiting.length === 0) return;
    isTurnComing = true;
    setImmediate(() => {
      isTurnComing = false;
      const passing = waiting.splice(0, perTurn);
      scheduleTurn();
      for (const begin of passing) begin();
    });
  };
  const pass = (begin: () => void) => {
    waiting.push(begin);
    scheduleTurn();
  };
  return { pass, turn: () => new Promise((resolve) => pass(resolve)) };
}
