import { rmSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { ApiContext } from '../../../src/api/context.ts'
import { methods } from '../../../src/api/methods.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import type { Method } from '../../../src/rpc/method.ts'
import { createOpenRpcDocument } from '../../../src/rpc/openrpc.ts'
import type { InProcessConnection } from '../../../src/rpc/transport/inProcess.ts'
import { startTestService } from '../../support/service.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { findErrorProblem } from './answers.ts'
import { type FuzzCall, RequestGenerator } from './generator.ts'
import { prepareChain } from './prepareChain.ts'
import { type FuzzLimits, type FuzzReport, FuzzTally, type MemoryUse } from './report.ts'

/** The calls that are under way at a time. */
const lanes = 8
/** Calls of one connection, so that its subscriptions end too. */
const callsPerConnection = 20_000

export const fuzzFlags = ['--lightkdf', '--json-rpc.gas-cap=2000000', '--json-rpc.evm-timeout=2s']

/** Calls methods within the process, with the rights of the operator. */
export const runInProcess = async (
  limits: FuzzLimits,
  added: readonly Method<ApiContext>[] = [],
): Promise<FuzzReport> => {
  const home = temporaryHome()
  const service = await startTestService(home, { flags: fuzzFlags, methods: added })
  const tally = new FuzzTally('in process', limits, measureMemory)
  const onUncaught = (error: unknown): void => tally.addProblem(`nothing caught: ${String(error)}`)
  process.on('uncaughtException', onUncaught)
  process.on('unhandledRejection', onUncaught)
  try {
    const known = await prepareChain((method, params) => service.connect(() => {}).request(method, params))
    const document = createOpenRpcDocument(added.length > 0 ? added : methods, '1.0.0')
    const generator = new RequestGenerator(document, { seed: limits.seed, known })
    let connection = service.connect(() => {})
    let ofConnection = 0
    const runLane = async (): Promise<void> => {
      while (tally.mayStart()) {
        if (++ofConnection % callsPerConnection === 0) {
          connection.close()
          connection = service.connect(() => {})
        }
        const call = generator.nextCall()
        const problem = await callOnce(connection, call)
        tally.count(problem === undefined ? undefined : `${problem}: ${describeCall(call)}`)
      }
    }
    await Promise.all(Array.from({ length: lanes }, runLane))
    connection.close()
    return await tally.finish()
  } finally {
    process.off('uncaughtException', onUncaught)
    process.off('unhandledRejection', onUncaught)
    await service.close()
    rmSync(home, { recursive: true, force: true })
  }
}

const callOnce = async (
  connection: InProcessConnection,
  { method, params }: FuzzCall,
): Promise<string | undefined> => {
  try {
    const result = await connection.request(method, params)
    return result === undefined ? 'no result' : undefined
  } catch (error) {
    // A lane may call while another one changes the connection.
    if (error instanceof RpcError && error.code === 4900) return undefined
    if (error instanceof RpcError) return findErrorProblem(error.code, error.message)
    return `thrown: ${String(error)}`
  }
}

export const describeCall = ({ method, params }: FuzzCall): string => {
  const text = JSON.stringify(params)
  return `${method}${text.length > 2_000 ? `${text.slice(0, 2_000)}… (${text.length})` : text}`
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const measureMemory = (): MemoryUse => {
  collectGarbage()
  const { heapUsed, rss } = process.memoryUsage()
  return { inUse: heapUsed, resident: rss }
}
