import { BlockOverrides, StateOverrides } from '../../../src/api/wire/overrides.ts'
import { Transaction } from '../../../src/api/wire/transactionRequest.ts'
import { createDevGenesis } from '../../../src/chain/genesis/devGenesis.ts'
import type { AccountOverride, BlockOverride } from '../../../src/chain/state/overrides.ts'
import type { TransactionRequest } from '../../../src/chain/transaction/request.ts'
import { InMemoryState } from '../../../src/evm/stateTest/inMemoryState.ts'
import { compileEngine } from '../../../src/evm/tracers/javascript/compileEngine.ts'
import { TraceOutput } from '../../../src/evm/tracers/output.ts'
import { loadScriptTracer } from '../../../src/evm/tracers/tracerRegistry.ts'
import { ExecutionBudget } from '../../../src/execute/call/budget.ts'
import { CallEnvironment } from '../../../src/execute/call/callEnvironment.ts'
import { createTestMachine } from '../../support/evm/support.ts'

export interface TraceInputs {
  readonly script: string
  readonly call: unknown
  readonly stateOverrides: unknown
  readonly blockOverrides: unknown
  readonly tracerConfig?: unknown
  readonly timeoutMs?: number
}

/** Kept, as the main thread of a node keeps it: otherwise each trace compiles the engine again. */
let engine: Promise<WebAssembly.Module> | undefined

/** Traces calls with scripts on this thread, as a worker does. */
export const createScriptRunner = async () => {
  const machine = await createTestMachine()
  engine ??= compileEngine()
  await engine
  const { header, config } = createDevGenesis({
    chainId: 31_337n,
    accounts: [],
    coinbase: new Uint8Array(20),
    timestamp: 0n,
    fork: 'osaka',
  })
  const place = {
    header: header(new Uint8Array(32)),
    state: new InMemoryState([]),
    blockHash: () => new Uint8Array(32),
  }
  return async (inputs: TraceInputs): Promise<string> => {
    const factory = await loadScriptTracer(inputs.script)
    const overrides = {
      stateOverrides: StateOverrides.schema.parse(inputs.stateOverrides) as readonly AccountOverride[],
      blockOverrides: BlockOverrides.schema.parse(inputs.blockOverrides) as BlockOverride,
    }
    const request = Transaction.schema.parse(inputs.call) as TransactionRequest
    const chunks: Buffer[] = []
    const output = new TraceOutput({ write: (bytes) => void chunks.push(Buffer.from(bytes)) })
    const end = performance.now() + (inputs.timeoutMs ?? 30_000)
    const site = new CallEnvironment(machine, config, place, overrides)
    const tracer = factory(
      inputs.tracerConfig,
      {
        fork: site.fork,
        blockHash: undefined,
        blockNumber: undefined,
        transactionHash: undefined,
        transactionIndex: 0,
        logsBefore: 0,
        deadline: () => end,
        memoryLimit: 2 ** 26,
      },
      output,
    )
    try {
      site.run(site.prepare(request), request.gas ?? 0n, new ExecutionBudget({ deadline: () => end }), {
        tracer,
      })
      tracer.result(output)
    } finally {
      tracer.dispose?.()
    }
    output.flush()
    return Buffer.concat(chunks).toString()
  }
}
