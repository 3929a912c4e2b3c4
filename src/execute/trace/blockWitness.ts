import { inputsOfBlock } from '../../app/blockInputs.ts'
import { type BlockBudget, executeBlock } from '../../app/executeBlock.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Header } from '../../chain/block/header.ts'
import { pruned, refused, unsupported } from '../../chain/chainError.ts'
import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { delegationPrefix } from '../../chain/transaction/delegation.ts'
import { senderOfIncluded } from '../../chain/transaction/impersonation.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { Evm } from '../../evm/evm.ts'
import { HeldMemory } from '../../evm/tracers/heldMemory.ts'
import type { TraceOutput } from '../../evm/tracers/output.ts'
import {
  type CallKind,
  type EnterEvent,
  type ExitEvent,
  InterruptedError,
  type Tracer,
} from '../../evm/types.ts'
import { StateWitness } from '../../state/reading/stateWitness.ts'
import { RecordedState } from '../question/recordedState.ts'
import { traceTooLarge } from './spool.ts'
import type { TraceDeadline } from './traceDeadline.ts'
import type { StoredBlock, TraceSources } from './traceSources.ts'
import type { TraceTask } from './traceTask.ts'

/** What an entry of the maps below takes beside its bytes. */
const entryBytes = 100

/** Counts what a witness holds: it may be as large as a response, in which two digits stand for a byte. */
class WitnessMemory {
  readonly #held: HeldMemory
  readonly #maxBytes: number
  #answerBytes = 0

  constructor({ memoryLimit, maxBytes }: TraceTask) {
    this.#held = new HeldMemory(memoryLimit)
    this.#maxBytes = maxBytes
  }

  add(bytes: number): void {
    this.#held.add(bytes + entryBytes)
    this.#answerBytes += 2 * bytes
    if (this.#answerBytes > this.#maxBytes) throw traceTooLarge(this.#maxBytes)
  }
}

/** Collects the hashes of the code that a block creates, as long-lived as it may be. */
class CreatedCode implements Tracer {
  readonly hashes = new Set<string>()
  readonly #frames: CallKind[] = []

  constructor(candidates: readonly RecoveredTransaction[]) {
    for (const { transaction } of candidates)
      if (transaction.type === 4)
        for (const { address } of transaction.authorizations)
          this.#add(concatBytes(delegationPrefix, address))
  }

  enter({ kind }: EnterEvent): void {
    this.#frames.push(kind)
  }

  exit({ output, error }: ExitEvent): void {
    const kind = this.#frames.pop()
    if ((kind === 'CREATE' || kind === 'CREATE2') && error === undefined) this.#add(output)
  }

  /** Returns the EVM with this tracer. */
  watch(evm: Evm): Evm {
    return { ...evm, createExecution: (context) => evm.createExecution({ ...context, tracer: this }) }
  }

  #add(code: Uint8Array): void {
    this.hashes.add(toHex(keccak256(code)))
  }
}

/** Gives each transaction the time of a trace. */
const createBudget = (clock: TraceDeadline): BlockBudget => ({
  limits: clock.limits,
  check: () => {
    assertTime(clock)
    clock.restart()
  },
  spend: () => {},
})

const assertTime = (clock: TraceDeadline): void => {
  if (performance.now() > clock.deadline()) throw new InterruptedError('deadline')
}

const recoverCandidates = (
  { rawTransactions, senders }: StoredBlock,
  fork: ReturnType<typeof forkOfHeader>,
) =>
  rawTransactions.map((raw, index): RecoveredTransaction => {
    const transaction = decodeTransaction(raw)
    const sender = senders?.[index] ?? senderOfIncluded(transaction, fork)
    if (sender === undefined) throw refused('tracing failed: invalid sender')
    return { transaction, raw, hash: keccak256(raw), sender }
  })

/** Returns the encoded headers from one on up to the parent of a block, oldest first. */
const headersFrom = ({ dependencies: { blocks } }: TraceSources, first: number, { number }: Header) =>
  Array.from({ length: Number(number) - first }, (_, index) => {
    const header = blocks.headerRlp(first + index)
    if (header === undefined) throw pruned(`the header of block ${first + index} is not kept`)
    return header
  })

const sortBytes = (items: Iterable<Uint8Array>): readonly Uint8Array[] => [...items].sort(Buffer.compare)

interface Witness {
  readonly state: Iterable<Uint8Array>
  readonly codes: Iterable<Uint8Array>
  readonly keys: Iterable<Uint8Array>
  readonly headers: Iterable<Uint8Array>
}

/**
 * Writes the execution witness of the block after the task's block: all that somebody needs to execute it again who has the
 * block and trusts the hash of its parent. `evm` must not have executed anything, because what it has read it does not
 * read again.
 */
export const writeWitness = (
  sources: TraceSources,
  { task, evm }: { readonly task: TraceTask; readonly evm: Evm },
  output: TraceOutput,
  clock: TraceDeadline,
): void => {
  let separator = '{'
  for (const [name, list] of Object.entries(createWitness(sources, task, evm, clock))) {
    output.ascii(`${separator}"${name}":[`)
    let comma = ''
    for (const bytes of list as Iterable<Uint8Array>) {
      output.ascii(comma)
      output.data(bytes)
      comma = ','
    }
    output.ascii(']')
    separator = ','
  }
  output.ascii('}')
}

const createWitness = (sources: TraceSources, task: TraceTask, evm: Evm, clock: TraceDeadline): Witness => {
  const { blocks, config, state } = sources.dependencies
  const { height, hash } = task.block
  const block = sources.stored(task)
  const parent = blocks.header(height)
  const extras = blocks.extras(height + 1)
  if (parent === undefined || extras === undefined) throw pruned(`block ${height + 1} is not kept`)
  if (state.newestEdit(height) > 0)
    throw unsupported(
      `the state before block ${height + 1} was changed by a dev method, and no header has a root of it: nothing proves what the block reads`,
    )
  const memory = new WitnessMemory(task)
  const read = new RecordedState(block.state, memory)
  const witness = new StateWitness(state.tables, height, parent.stateRoot, (bytes) => {
    memory.add(bytes)
    assertTime(clock)
  })
  const candidates = recoverCandidates(block, forkOfHeader(config, block.header))
  const created = new CreatedCode(candidates)
  let firstHeader = height
  const environment = {
    config,
    state: read,
    blockHash: (number: bigint) => {
      firstHeader = Math.min(firstHeader, Number(number))
      return block.blockHash(number)
    },
    stateRoot: (changes: StateChanges) => witness.addChanges(changes),
    budget: createBudget(clock),
  }
  const inputs = {
    ...inputsOfBlock({ header: parent, hash }, { header: block.header, ...extras }),
    baseFee: block.header.baseFeePerGas,
  }
  const outcome = executeBlock({ ...environment, evm }, inputs, candidates)
  // Again with a tracer: what the EVM reads without one and runs out of gas upon, it may not read with one.
  executeBlock({ ...environment, evm: created.watch(evm) }, inputs, candidates)
  clock.restart()
  read.addCodes(created.hashes)
  for (const { address, slots } of read.accounts.values()) witness.addRead(address, slots.values())
  if (!equalBytes(witness.addChanges(outcome.changes), block.header.stateRoot))
    throw new Error(`the execution of block ${height + 1} has another result than the first time`)
  const keys = new Map<string, Uint8Array>()
  for (const [id, { address, slots }] of read.accounts) {
    keys.set(id, address)
    for (const [slotId, slot] of slots) keys.set(slotId, slot)
  }
  return {
    state: witness.nodes(),
    codes: sortBytes(read.codes.values()),
    keys: sortBytes(keys.values()),
    headers: headersFrom(sources, firstHeader, block.header),
  }
}
