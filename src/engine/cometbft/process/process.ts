import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { formatSocketAddress, type SocketAddress } from '../../../base/encoding/socketAddress.ts'
import { diverged, type ExitError, internalFailure } from '../../../base/exit.ts'
import type { Logger } from '../../../base/logging/log.ts'
import { signerComplaints } from '../watch/remoteSigner.ts'
import { spawnWatched } from './watchdog.ts'

export interface EngineProcessOptions {
  /** The path of the CometBFT program. */
  readonly program: string
  readonly folder: string
  /** Whether its RPC has the methods that change the node, such as adding a peer. */
  readonly hasUnsafeRpc: boolean
  /** The address of the ABCI server. */
  readonly abci: SocketAddress
  readonly log: Logger
  /** Called if the process exits without being asked to, or keeps running without deciding blocks. */
  readonly onExit: (error: ExitError) => void
  /** Called if another process signs with the key of this node. */
  readonly onConflict: (reason: string) => void
  /** Called with the message, the error and the address of each line of its log. */
  readonly onMessage: (message: string, error: string, address: string) => void
}

/** How long the process may take to stop before it is killed. */
const stopTimeoutMs = 8000

/** A CometBFT child process. It is started, watched and stopped here, and its log lines are logged here. */
export class EngineProcess {
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>
  #isStopping = false
  #lastError = ''

  constructor({ program, folder, hasUnsafeRpc, abci, log, ...listeners }: EngineProcessOptions) {
    const { onExit, onConflict, onMessage } = listeners
    // Ctrl-C does not reach it: this process stops it after the last block is committed.
    this.#child = spawnWatched(program, [
      ...['start', '--home', folder, '--proxy_app', formatSocketAddress(abci), '--abci', 'socket'],
      ...(hasUnsafeRpc ? ['--rpc.unsafe'] : []),
    ])
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', resolve)
      this.#child.once('error', resolve)
    })
    this.#child.once('error', (error) => {
      this.#lastError = error.message
      onExit(internalFailure(`CometBFT cannot be started: ${error.message}`))
    })
    this.#child.once('exit', (code, signal) => {
      if (!this.#isStopping) onExit(internalFailure(`CometBFT ended with ${signal ?? `code ${code}`}`))
    })
    const onEntry = (entry: LogEntry): void => {
      onMessage(String(entry._msg), String(entry.err), String(entry.addr))
      const failure = describeFailure(entry)
      if (failure !== undefined && !this.#isStopping) onExit(failure)
      const conflict = describeConflict(entry)
      if (conflict !== undefined && !this.#isStopping) onConflict(conflict)
    }
    const onError = (line: string): void => {
      this.#lastError = line
    }
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (stream !== null) forwardLogs(stream, log, { onEntry, onError })
  }

  /** Resolves at its end with the last unformatted line of its output, or why the process could not be started. */
  async lastError(): Promise<string> {
    await this.#closed
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
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs)
    await this.#closed
    clearTimeout(timer)
  }
}

type LogEntry = Readonly<Record<string, unknown>>

/**
 * Returns the error if a log entry reports that consensus panicked: CometBFT catches the panic and keeps running
 * without deciding blocks. Undefined for any other entry.
 */
export const describeFailure = ({ _msg: message, err }: LogEntry): ExitError | undefined => {
  if (message !== 'CONSENSUS FAILURE!!!') return undefined
  const reason = `the consensus of CometBFT failed: ${String(err).trim()}`
  return reason.includes('AppHash')
    ? diverged(
        `${reason}. This node worked out another state than the validators that decided the block: its program, its genesis file or its data differs from theirs`,
      )
    : internalFailure(reason)
}

/** Returns the reason if a log entry reports a vote of this node's key that is not this node's; undefined for any other entry. */
export const describeConflict = ({ _msg: message, height }: LogEntry): string | undefined =>
  String(message).startsWith('found conflicting vote from ourselves')
    ? `another process signs with the key of this validator: the network has a vote of it for block ${height} that this node did not cast. ` +
      'This node stops: of two processes with one key both sign, which is misbehaviour. Find the other one before you start one of them again. ' +
      'Where there is none, because this home is an old copy: `perihelion network sign-state --raise HEIGHT` with the height of the network lets it go on above that'
    : undefined

const levels: Readonly<Record<string, 'debug' | 'info' | 'warn' | 'error'>> = {
  debug: 'debug',
  // The engine logs every vote and block at `info`, which is too much for an operator.
  info: 'debug',
  warn: 'warn',
  error: 'error',
}

/** What the engine logs at `info` and an operator wants to know: which peers offered forged snapshots. */
const loudMessages = new Set(['Snapshot sender rejected'])

/**
 * What the engine logs at `error` in the ordinary course of things: a peer that comes, goes or is slow, two that call each
 * other at once, a part that is closed twice. What is wrong with a peer for good (another network) is not among it.
 */
const ordinaryErrors: ReadonlySet<string> = new Set([
  'Stopping peer for error',
  'error while stopping peer',
  'Error stopping pool',
  "Won't start a peer - switch is not running",
  'Stopped accept routine, as transport is closed',
  'Error serving server',
  'SendTimeout',
  'Connection failed @ recvRoutine (reading byte)',
  'Connection failed @ sendRoutine',
  // The watch of the signer says it once.
  ...signerComplaints,
])
/** A block that came from a second peer when the first one's was committed. */
const lateBlock = /already committed block/

const isOrdinary = ({ _msg: message, err }: LogEntry): boolean =>
  ordinaryErrors.has(String(message)) || lateBlock.test(String(err))

/** Returns the level at which an entry of the engine's log is logged. */
export const levelOf = (entry: LogEntry): 'debug' | 'info' | 'warn' | 'error' => {
  if (loudMessages.has(String(entry._msg))) return 'warn'
  const level = levels[String(entry.level)] ?? 'info'
  return level === 'error' && isOrdinary(entry) ? 'info' : level
}

/** Log levels of lines in the plain format, by their first letter. */
const plainLevels: Readonly<Record<string, 'debug' | 'error'>> = { D: 'debug', I: 'debug', E: 'error' }

interface LineListeners {
  readonly onEntry: (entry: LogEntry) => void
  readonly onError: (line: string) => void
}

/**
 * Forwards the log lines of the process. JSON lines keep their level and fields; unformatted lines (a Go panic) are
 * errors.
 */
const forwardLogs = (stream: Readable, log: Logger, { onEntry, onError }: LineListeners): void => {
  createInterface(stream).on('line', (line) => {
    const entry = parseLine(line)
    if (entry === undefined) {
      const letter = /^([DIE])\[/.exec(line)?.[1] ?? 'E'
      if (/\berror\b/i.test(line)) onError(line)
      if (line.trim() !== '') log[plainLevels[letter] ?? 'error']({ engine: true }, line)
      return
    }
    onEntry(entry)
    const { level: _, _msg: message, ...members } = entry
    log[levelOf(entry)]({ engine: true, ...members }, String(message ?? ''))
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
