import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { badFile, failedProcess, homeInUse, internalFailure } from '../../../base/exit.ts'
import { openOwnFile } from '../../../base/files/ownFile.ts'
import { errorCode } from '../../../base/files/writeAll.ts'
import { describeHolder, type HomeHolder, homeHolder } from '../../../base/lock/homeLock.ts'
import { programUrl } from '../../../base/threads/builtFiles.ts'

const pollMs = 100
/** CometBFT may have to be built first. */
const startTimeoutMs = 20 * 60_000
/** A node ends within 10 s, or is ended. */
const stopTimeoutMs = 60_000

const logPath = (folder: string): string => join(folder, 'testnet.log')

export interface DetachOptions {
  /** The program to run: this one. */
  readonly program?: string
  /** Aborted when the network should have been ready. */
  readonly timeout?: AbortSignal
  /** Aborted when whoever waits for the network does not want it any more. */
  readonly interrupted?: AbortSignal
}

/** Starts the network of a folder in a process of its own, and returns what it printed when it is ready. */
export const startDetached = async (
  folder: string,
  args: readonly string[],
  {
    program = fileURLToPath(programUrl),
    timeout = AbortSignal.timeout(startTimeoutMs),
    interrupted,
  }: DetachOptions = {},
): Promise<string> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = logPath(folder)
  const file = openOwnFile(path, 'append')
  const begin = statSync(path).size
  const child = spawn(process.execPath, [program, 'testnet', ...args], {
    detached: true,
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null }))
  child.unref()
  const printed = (): string => readFileSync(path).subarray(begin).toString()
  while (!/^testnet ready /m.test(printed())) {
    const end = await Promise.race([ended, setTimeout(pollMs, undefined)])
    if (end !== undefined)
      throw failedProcess(end.code, `the network did not start: ${lastLine(printed())} (${path})`)
    if (interrupted?.aborted) {
      await endChild(child, ended)
      throw internalFailure('interrupted before the network was ready: nothing of it runs')
    }
    if (timeout.aborted) {
      await endChild(child, ended)
      throw internalFailure(`the network is not ready: see ${path}`)
    }
  }
  return printed()
    .split('\n')
    .filter((line) => line.startsWith('testnet '))
    .map((line) => `${line}\n`)
    .join('')
}

/** Ends a process: in order, or at once if that takes too long. */
const endChild = async (child: ChildProcess, ended: Promise<unknown>): Promise<void> => {
  child.kill('SIGTERM')
  const waiting = new AbortController()
  const late = setTimeout(stopTimeoutMs, undefined, { signal: waiting.signal }).then(
    () => child.kill('SIGKILL'),
    () => {},
  )
  await Promise.race([ended, late])
  waiting.abort()
  await ended
}

const lastLine = (text: string): string =>
  text
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^perihelion: /, '') ?? ''

/** Returns the process that runs the network of a folder; undefined if none does. */
export const runningNetwork = (folder: string): number | undefined => {
  const holder = holderOf(folder)
  // Its id is that of another process here, which must not be stopped.
  if (holder?.isElsewhere)
    throw homeInUse(`${describeHolder(holder)} runs the network of ${folder}: ask there`)
  return holder?.pid
}

const holderOf = (folder: string): HomeHolder | undefined => {
  try {
    return homeHolder(folder)
  } catch (error) {
    throw badFile((error as Error).message)
  }
}

/** Stops the network of a folder and waits until it has ended. Returns whether one ran. */
export const stopNetwork = async (folder: string): Promise<boolean> => {
  const pid = runningNetwork(folder)
  if (pid === undefined) return false
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    // It has ended meanwhile.
    if (errorCode(error) !== 'ESRCH') throw error
  }
  const until = performance.now() + stopTimeoutMs
  while (runningNetwork(folder) === pid) {
    if (performance.now() > until)
      throw internalFailure(`process ${pid} does not end: see ${logPath(folder)}`)
    await setTimeout(pollMs)
  }
  return true
}
