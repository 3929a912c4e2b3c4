import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type AbciAddress, addressText } from '../../../base/abciAddress.ts'
import type { Logger } from '../../../base/log.ts'

export interface EngineProcessOptions {
  /** The CometBFT program. */
  readonly program: string
  readonly folder: string
  /** Where the application is. */
  readonly abci: AbciAddress
  readonly log: Logger
  /** It ended without being asked to, or goes on without deciding anything. */
  readonly onExit: (reason: string) => void
}

/** How long it may take to stop before it is killed. */
const stopMs = 8000

/** A CometBFT process that belongs to this one: started, watched, stopped; what it logs is logged here. */
export class EngineProcess {
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>
  #isStopping = false
  #lastError = ''

  constructor({ program, folder, abci, log, onExit }: EngineProcessOptions) {
    this.#child = spawn(
      program,
      ['start', '--home', folder, '--proxy_app', addressText(abci), '--abci', 'socket'],
      // In a group of its own, so that Ctrl-C reaches it through us, after the last block is committed.
      { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    )
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', resolve)
      this.#child.once('error', resolve)
    })
    this.#child.once('error', (error) => {
      this.#lastError = error.message
      onExit(`CometBFT cannot be started: ${error.message}`)
    })
    this.#child.once('exit', (code, signal) => {
      if (!this.#isStopping) onExit(`CometBFT ended with ${signal ?? `code ${code}`}`)
    })
    const onEntry = (entry: LogEntry): void => {
      const failure = describeFailure(entry)
      if (failure !== undefined && !this.#isStopping) onExit(failure)
    }
    const onError = (line: string): void => {
      this.#lastError = line
    }
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (stream !== null) passOn(stream, log, { onEntry, onError })
  }

  /** What it says when it does not start: the last of its lines that had no format, or why there is no process. */
  get lastError(): string {
    return this.#lastError
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isEnded(): boolean {
    const { pid, exitCode, signalCode } = this.#child
    return pid === undefined || exitCode !== null || signalCode !== null
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.isEnded) return
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopMs)
    await this.#closed
    clearTimeout(timer)
  }
}

type LogEntry = Readonly<Record<string, unknown>>

/**
 * CometBFT catches a panic of its consensus, says so, and lives on as a process that decides nothing. Undefined for any
 * other line.
 */
export const describeFailure = ({ _msg: message, err }: LogEntry): string | undefined => {
  if (message !== 'CONSENSUS FAILURE!!!') return undefined
  const reason = `the consensus of CometBFT failed: ${String(err).trim()}`
  return reason.includes('AppHash')
    ? `${reason}. This node worked out another state than the validators that decided the block: its program or its data differs from theirs`
    : reason
}

const levels: Readonly<Record<string, 'debug' | 'info' | 'warn' | 'error'>> = {
  debug: 'debug',
  // Every vote and every block is an `info` of the engine; of an operator it is none.
  info: 'debug',
  warn: 'warn',
  error: 'error',
}

/** Of lines in the engine's plain format, by their first letter. */
const plainLevels: Readonly<Record<string, 'debug' | 'error'>> = { D: 'debug', I: 'debug', E: 'error' }

interface LineListeners {
  readonly onEntry: (entry: LogEntry) => void
  readonly onError: (line: string) => void
}

/** Lines of JSON keep their level and members; lines of no format (a Go panic) are errors. */
const passOn = (stream: Readable, log: Logger, { onEntry, onError }: LineListeners): void => {
  createInterface(stream).on('line', (line) => {
    const entry = parseLine(line)
    if (entry === undefined) {
      const letter = /^([DIE])\[/.exec(line)?.[1] ?? 'E'
      if (/\berror\b/i.test(line)) onError(line)
      if (line.trim() !== '') log[plainLevels[letter] ?? 'error']({ engine: true }, line)
      return
    }
    onEntry(entry)
    const { level, _msg: message, ...members } = entry
    log[levels[String(level)] ?? 'info']({ engine: true, ...members }, String(message ?? ''))
  })
}

const parseLine = (line: string): LogEntry | undefined => {
  try {
    const parsed: unknown = JSON.parse(line)
    return typeof parsed === 'object' && parsed !== null ? (parsed as LogEntry) : undefined
  } catch {
    return undefined
  }
}
