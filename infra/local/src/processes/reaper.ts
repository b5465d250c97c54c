import { spawn } from 'node:child_process';

/**
 * Ends the children of this process if this process is killed. A shell in a separate session reads from a pipe, which
 * closes when this process ends. The shell then sends the stop signal of each child, newest child first, waits, and
 * kills the process groups that remain. The reaper is a shell, because `killall -9 node` would also end a Node.js
 * process.
 */
export interface Reaper {
  /** Adds a child and the signal that stops it. */
  watch(pid: number, signal: 'TERM' | 'INT'): void;
  forget(pid: number): void;
  /** Adds a directory that the shell removes after it has ended the children. */
  removeAtEnd(directory: string): void;
  /** Closes the pipe. The shell then ends the remaining children, removes the directories and exits. */
  close(): void;
}

// `watched` is a list of "pid:signal", newest first. The shell waits at most 3 s (30 times 0.1 s) for processes to stop
// before it kills them. A longer wait is not needed, because a kill loses no data.
const script = `
trap '' INT TERM HUP
watched= directories=
is_alive() {
  kill -s 0 "$1" 2>/dev/null || return 1
  # In a container whose first process does not reap orphans they remain as zombies.
  stat=
  { IFS= read -r stat < "/proc/$1/stat"; } 2>/dev/null
  case $stat in *") Z "*) return 1 ;; esac
}
while IFS= read -r line; do
  what=\${line%% *} value=\${line#* }
  case $what in
    watch) watched="$value $watched" ;;
    forget)
      kept=
      for entry in $watched; do [ "\${entry%%:*}" = "$value" ] || kept="$kept $entry"; done
      watched=$kept ;;
    remove) directories="$directories$value
" ;;
  esac
done
for entry in $watched; do kill -s "\${entry#*:}" "\${entry%%:*}" 2>/dev/null; done
round=0
while [ $round -lt 30 ]; do
  alive=
  for entry in $watched; do is_alive "\${entry%%:*}" && alive=yes; done
  [ -z "$alive" ] && break
  round=$((round + 1))
  sleep 0.1
done
for entry in $watched; do kill -s KILL -- "-\${entry%%:*}" 2>/dev/null; done
printf '%s' "$directories" | while IFS= read -r directory; do rm -rf -- "$directory"; done
`;

export function startReaper(): Reaper {
  const shell = spawn('/bin/sh', ['-c', script, 'tocsin-reaper'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  // If the reaper itself was killed, a write to its pipe fails with EPIPE. The error is ignored: the children then
  // survive a killed launcher, but the next start ends them (`stale-processes.ts`).
  shell.stdin.on('error', () => {});
  shell.on('error', () => {});
  shell.unref();
  const send = (line: string) => {
    if (shell.stdin.writable) shell.stdin.write(`${line}\n`);
  };
  return {
    watch: (pid, signal) => send(`watch ${pid}:${signal}`),
    forget: (pid) => send(`forget ${pid}`),
    removeAtEnd: (directory) => send(`remove ${directory}`),
    close: () => shell.stdin.end(),
  };
}
