import { spawn } from 'node:child_process';

/**
 * Ends what we started when we are killed without a chance to do it ourselves. A shell of its own session holds the
 * other end of a pipe; when the pipe closes it asks each process that is still listed to stop, newest first, waits,
 * and kills the groups of those that stay. It is a shell, not Node, so that `killall -9 node` does not take it along.
 */
export interface Reaper {
  /** `signal` is how this process likes to be asked to stop. */
  watch(pid: number, signal: 'TERM' | 'INT'): void;
  forget(pid: number): void;
  /** A directory to remove when all is over. */
  removeAtEnd(directory: string): void;
  /** Tells the shell that nothing more will come; it ends by itself. */
  close(): void;
}

// `watched` holds "pid:signal" words, newest first. 30 rounds of 0.1 s: nothing is lost by a
// kill, and whoever killed us hard wants it all gone.
const script = `
trap '' INT TERM HUP
watched= directories=
is_alive() {
  kill -s 0 "$1" 2>/dev/null || return 1
  # Orphans of a container whose first process does not wait for them stay as zombies.
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
  // A reaper that somebody killed must not take us down with EPIPE: the record of children still covers the next start.
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
