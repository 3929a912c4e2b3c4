import { fromHex, toHex } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/logging/log.ts'
import { describeCall, describeCustomError } from '../../chain/abi/knownContracts.ts'
import { revertReason } from '../../chain/abi/revertReason.ts'
import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { CallRequest, ConsoleCall, FailedCall } from '../../chain/port/executor.ts'
import type { RejectedSend } from '../../chain/port/pool.ts'
import type { ConsoleEvents } from '../../service/chain/servedChain.ts'
import type { ContractRegistry } from '../../solidity/contractRegistry.ts'
import type { StackTrace } from '../../solidity/stackTrace.ts'
import { type FailureSources, traceFailedCall, traceFailedTransaction } from '../../solidity/traceFailure.ts'
import { readRejected } from './rejectedSend.ts'
import { type ActivityRenderer, type BlockActivity, type TransactionActivity, toolName } from './render.ts'
import { type ConsoleLine, type TransactionTrace, traceBlock, traceCall } from './trace.ts'

export interface ActivityOptions {
  /** Whether only blocks are shown in which a contract called the console. */
  readonly isConsoleOnly: boolean
  /** Whether it is shown what contracts write to the console. */
  readonly showsConsole: boolean
}

export interface ActivityDependencies {
  readonly chain: Chain
  readonly console: ConsoleEvents
  /** The contracts that clients described; undefined if they cannot. */
  readonly contracts?: ContractRegistry | undefined
  readonly renderer: ActivityRenderer
  readonly log: Logger
}

/** A block with more transactions is shown by their number alone. */
const maxTransactions = 50
/** How long the stack of a failure is looked for. */
const stackTimeoutMs = 10_000
/** A chain that is further ahead of what is shown is not caught up with: the blocks between are left out. */
const maxWaiting = 100

const latest: BlockRef = { kind: 'tag', tag: 'latest' }

/** Shows blocks and transactions to a developer as they come. It is never in the way of the chain. */
export class Activity {
  readonly #options: ActivityOptions
  readonly #dependencies: ActivityDependencies
  #running: Promise<void> = Promise.resolve()
  #waiting = 0
  #stopListening = (): void => {}
  #isFinished = false
  readonly #failed = new WeakSet<CallRequest>()

  constructor(options: ActivityOptions, dependencies: ActivityDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /** Shows what comes from now on. */
  start(): void {
    const { chain, console, renderer } = this.#dependencies
    console.onCall((used) => {
      if (!this.#options.showsConsole || this.#waiting >= maxWaiting) return
      this.#add(async () => {
        // What a failed call wrote is shown below it.
        if (!this.#failed.has(used.call)) await this.#showConsoleCall(used)
      })
    })
    console.onFailedCall((failed) => {
      if (this.#options.isConsoleOnly || this.#waiting >= maxWaiting) return
      this.#failed.add(failed.call)
      this.#add(() => this.#showFailedCall(failed))
    })
    console.onRejectedSend((rejected) => {
      if (this.#options.isConsoleOnly || this.#waiting >= maxWaiting) return
      this.#add(() => this.#showRejected(rejected))
    })
    this.#stopListening = chain.events.onHead((change) => {
      if (change.kind === 'reverted') return this.#add(async () => renderer.reverted(change.to))
      const from = Math.max(change.from, change.to - maxWaiting)
      for (let number = from; number <= change.to; number++) {
        const usesConsole = this.#options.showsConsole && console.block() === number
        const isShown = usesConsole || !this.#options.isConsoleOnly
        if (isShown && this.#waiting < maxWaiting) this.#add(() => this.#show(number, usesConsole))
      }
    })
  }

  /** Ends it, and resolves when everything that came so far is shown: the chain is not read after that. */
  async finish(): Promise<void> {
    this.#isFinished = true
    this.#stopListening()
    await this.#running
  }

  #add(work: () => Promise<void>): void {
    if (this.#isFinished) return
    this.#waiting++
    this.#running = this.#running
      .then(work)
      .catch((error: unknown) => this.#dependencies.log.debug({ err: error }, 'a block could not be shown'))
      .finally(() => {
        this.#waiting--
      })
  }

  async #show(number: number, usesConsole: boolean): Promise<void> {
    const { chain, renderer } = this.#dependencies
    const { blocks } = chain
    const header = blocks.header(number)
    const hash = blocks.hash(number)
    const count = blocks.transactionCount(number)
    // It may be gone again.
    if (header === undefined || hash === undefined || count === undefined) return
    const { gasUsed, timestamp, baseFeePerGas } = header
    const transactions = count > maxTransactions ? [] : await this.#readTransactions(number, usesConsole)
    const block: BlockActivity = {
      number,
      hash: toHex(hash),
      gasUsed,
      timestamp,
      baseFee: baseFeePerGas,
      count,
    }
    renderer.block(block, transactions)
  }

  async #readTransactions(number: number, usesConsole: boolean): Promise<readonly TransactionActivity[]> {
    const { chain } = this.#dependencies
    const block = parseJson<{ readonly transactions: readonly StoredTransaction[] }>(
      chain.blocks.blockJson(number, true),
    )
    const receipts = parseJson<readonly StoredReceipt[]>(chain.blocks.receiptsJson(number))
    if (block === undefined || receipts === undefined) return []
    const hasFailed = receipts.some(({ status }) => status === '0x0')
    const traces = usesConsole || hasFailed ? await traceBlock(chain, number) : []
    const shown: TransactionActivity[] = []
    for (const [index, transaction] of block.transactions.entries()) {
      const { contractAddress, gasUsed, status, logs } = receipts[index] as StoredReceipt
      const trace = traces[index]
      const isFailed = status === '0x0'
      const stack = isFailed
        ? await this.#findStack((sources, signal) =>
            traceFailedTransaction(sources, fromHex(transaction.hash), signal),
          )
        : undefined
      shown.push({
        hash: transaction.hash,
        from: transaction.from,
        to: transaction.to ?? undefined,
        created: isFailed ? undefined : (contractAddress ?? undefined),
        value: BigInt(transaction.value),
        call: await this.#describeCall(transaction),
        gasUsed: BigInt(gasUsed),
        gasLimit: BigInt(transaction.gas),
        logCount: logs.length,
        failure: isFailed ? this.#describeFailure(trace, stack?.cause) : undefined,
        stack,
        lines: await this.#named(trace?.lines ?? []),
      })
    }
    return shown
  }

  async #showFailedCall(failed: FailedCall): Promise<void> {
    const { chain, renderer } = this.#dependencies
    const { call, at, outcome } = failed
    const mayWrite = this.#options.showsConsole && (await this.#namesConsole(call.request.to))
    const lines = mayWrite ? await traceCall(chain, call, at).catch(() => []) : []
    const stack = await this.#findStack((sources, signal) => traceFailedCall(sources, call, at, signal))
    renderer.call({
      ...(await this.#describeRequest(failed)),
      failure: this.#describeFailure(outcome, stack?.cause),
      stack,
      lines: await this.#named(lines),
    })
  }

  async #showRejected({ raw, reason }: RejectedSend): Promise<void> {
    const { chain, renderer } = this.#dependencies
    const header = chain.blocks.header(chain.head().number)
    const sent = header && readRejected(raw, forkOfHeader(chain.config, header))
    renderer.rejected({
      hash: sent?.hash,
      from: sent?.from,
      to: sent?.to ?? undefined,
      call: sent && (await this.#describeCall(sent)),
      nonce: sent?.nonce,
      reason,
    })
  }

  async #showConsoleCall(used: ConsoleCall): Promise<void> {
    const { chain, renderer } = this.#dependencies
    const { call, at, isCertain } = used
    if (!isCertain && !(await this.#namesConsole(call.request.to))) return
    const lines = await this.#named(await traceCall(chain, call, at))
    if (lines.length === 0) return
    renderer.call({ ...(await this.#describeRequest(used)), failure: undefined, stack: undefined, lines })
  }

  async #describeRequest({ method, call, userAgent }: FailedCall | ConsoleCall) {
    const { from, to, data } = call.request
    const bytes = toHex(data ?? new Uint8Array(0))
    return {
      method,
      tool: toolName(userAgent),
      from: from && toHex(from),
      to: to && toHex(to),
      call: await this.#describeCall({ to: to === undefined ? null : toHex(to), input: bytes }),
    }
  }

  /** Returns the lines with the names of the contracts that wrote them, as far as they are known. */
  async #named(lines: readonly ConsoleLine[]): Promise<readonly ConsoleLine[]> {
    const { chain, contracts } = this.#dependencies
    if (lines.length === 0 || contracts === undefined || contracts.isEmpty) return lines
    const state = await chain.state(latest)
    const names = new Map<string, string | undefined>()
    for (const { contract } of lines)
      if (!names.has(contract)) names.set(contract, contracts.find(await state.code(fromHex(contract)))?.name)
    return lines.map((line) => ({ ...line, name: names.get(line.contract) }))
  }

  /** Returns whether the code of an account has the address of the console in it, as the library compiles it. */
  async #namesConsole(address: Uint8Array | undefined): Promise<boolean> {
    if (address === undefined) return false
    const state = await this.#dependencies.chain.state(latest)
    return Buffer.from(await state.code(address)).includes('console.log')
  }

  /** Returns the call by its names if the contract or the function is known, and its selector otherwise; of a creation the contract. */
  async #describeCall({ to, input }: Pick<StoredTransaction, 'to' | 'input'>): Promise<string | undefined> {
    const { chain, contracts } = this.#dependencies
    if (to === null) return contracts?.findCreated(fromHex(input))?.name
    if (input.length < 10) return undefined
    const state = await chain.state(latest)
    const code = await state.code(fromHex(to))
    if (code.length === 0) return input.slice(0, 10)
    const contract = contracts?.find(code)
    const called = describeCall(contract, fromHex(input)) ?? input.slice(0, 10)
    return contract === undefined ? called : `${contract.name}.${called}`
  }

  /** Returns where an execution failed, if its contracts are known. What cannot be told must not hide the rest. */
  async #findStack(
    trace: (sources: FailureSources, signal: AbortSignal) => Promise<StackTrace | undefined>,
  ): Promise<StackTrace | undefined> {
    const { chain, contracts, log } = this.#dependencies
    if (contracts === undefined) return undefined
    const signal = AbortSignal.timeout(stackTimeoutMs)
    return trace({ chain, contracts }, signal).catch((error: unknown) => {
      log.debug({ err: error }, 'the stack of a failure could not be found')
      return undefined
    })
  }

  #describeFailure(
    trace: Pick<TransactionTrace, 'output' | 'error'> | undefined,
    cause: string | undefined,
  ): string {
    if (trace === undefined) return 'failed'
    const { output, error = 'failed' } = trace
    // Which check of geth's found that gas ran out helps nobody here.
    const word =
      error === 'execution reverted'
        ? 'reverted'
        : error.replace(': not enough gas for reentrancy sentry', '')
    if (output.length === 0 && cause !== undefined) return `${word}: ${cause}`
    if (output.length === 0) return word === 'reverted' ? 'reverted without a reason' : word
    const known = revertReason(output) ?? describeCustomError(this.#dependencies.contracts, output)
    return `reverted: ${known ?? toHex(output.subarray(0, 68))}`
  }
}

/** The members of the stored JSON that are shown. */
interface StoredTransaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly value: string
  readonly gas: string
  readonly input: string
}

interface StoredReceipt {
  readonly contractAddress: string | null
  readonly gasUsed: string
  readonly status?: string
  readonly logs: readonly unknown[]
}

/** Parses JSON that the store wrote. */
const parseJson = <T>(bytes: Uint8Array | undefined): T | undefined =>
  bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString()) as T)
