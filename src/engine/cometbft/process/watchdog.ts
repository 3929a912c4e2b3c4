import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Writable } from 'node:stream'

const shell = '/bin/sh'
/** The descriptor that this process holds the other end of. */
const lifeline = 3
/** How many seconds a program may take to end after SIGTERM. */
const graceSeconds = 8

/**
 * Waits for the end of the descriptor, which comes when this process is gone, however it ended, and ends the program
 * then. A line says that the program has ended, so that its id may be another one's.
 */
const watchScript = `read -r line <&${lifeline} && exit 0
kill -TERM "$1"
for _ in ${Array.from({ length: graceSeconds }, (_, second) => second).join(' ')}; do
  sleep 1
  kill -0 "$1" || exit 0
done
kill -KILL "$1"`

/** Starts the watch in the background and becomes the program, so that the id of the shell is the program's. */
const startScript = `${shell} -c "$0" watchdog "$$" >/dev/null 2>&1 &
exec ${lifeline}<&-
exec "$@"`

/**
 * Starts a program that does not outlive this process: not even one that was killed leaves it behind. Node cannot ask
 * the kernel for that, so a shell beside the program watches a pipe. The program has a process group of its own, so that
 * Ctrl-C does not reach it.
 */
export const spawnWatched = (program: string, args: readonly string[]): ChildProcess => {
  // Without a shell the program runs unwatched; a program that is not there is reported as such.
  if (!existsSync(shell) || !existsSync(program))
    return spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const child = spawn(shell, ['-c', startScript, watchScript, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const line = child.stdio[lifeline] as (Writable & { unref?: () => void }) | null
  line?.unref?.()
  // The watch may be gone first, when everything is killed at once.
  line?.on('error', () => {})
  child.once('exit', () => line?.end('ended\n'))
  return child
}
