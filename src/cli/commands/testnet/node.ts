import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { failedProcess } from '../../../base/exit.ts'
import { openOwnFile } from '../../../base/files/ownFile.ts'
import { programUrl } from '../../../base/threads/builtFiles.ts'

/** A node of a test network, run as a child process. */
export interface TestnetNode {
  /** Resolves with the fields of its ready line. */
  readonly ready: Promise<TestnetNodeInfo>
  /** Resolves when the process has exited, for whatever reason. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

export interface TestnetNodeInfo {
  readonly [name: string]: string | number
  readonly node: number
  readonly http: string
  readonly home: string
  readonly pid: number
}

const mainFile = fileURLToPath(programUrl)
/** Fields of the ready line that say nothing about one node of a network. */
const hiddenFields = new Set(['chain', 'height'])

/** Starts the node of a home; its log goes to a file there. */
export const startTestnetNode = (index: number, home: string): TestnetNode => {
  const logPath = join(home, 'node.log')
  const log = openOwnFile(logPath, 'append')
  const child = spawn(process.execPath, [mainFile, 'start', '--home', home], {
    // It ends when the channel closes, which it does however this process ends.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // It has its own process group, so that Ctrl-C reaches it only through this process.
    detached: true,
  })
  child.stderr?.pipe(createWriteStream(logPath, { fd: log }))
  const exitCode = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
    child.once('error', () => resolve(null))
  })
  const ended = exitCode.then(() => {})
  const ready = new Promise<TestnetNodeInfo>((resolve, reject) => {
    createInterface(child.stdout as Readable).on('line', (line) => {
      if (!line.startsWith('perihelion ready ')) return
      const { http = '', ...others } = parseReadyLine(line)
      resolve({ node: index, http, ...others, home, pid: child.pid as number }) // it has printed, so it runs
    })
    void exitCode.then((code) =>
      reject(failedProcess(code, `node ${index} ended before it was ready; see ${logPath}`)),
    )
  })
  // A caller that stops the network before it is ready gets the error there.
  ready.catch(() => {})
  return {
    ready,
    ended,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const parseReadyLine = (line: string): Record<string, string> =>
  Object.fromEntries(
    line
      .split(' ')
      .slice(2)
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)])
      .filter(([name]) => name !== undefined && !hiddenFields.has(name)),
  )
