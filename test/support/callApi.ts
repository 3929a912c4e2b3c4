import { Registry } from 'prom-client'
import { toRpcError } from '../../src/api/answers/chainErrors.ts'
import type { ApiContext } from '../../src/api/context.ts'
import { AbiStore } from '../../src/api/dev/abiStore.ts'
import { methods } from '../../src/api/methods.ts'
import { createLogger } from '../../src/base/logging/log.ts'
import { KeyedQueue } from '../../src/base/threads/keyedQueue.ts'
import { loadConfig } from '../../src/config/load.ts'
import { RateLimiter } from '../../src/rpc/access/rateLimit.ts'
import { Dispatcher } from '../../src/rpc/dispatch/dispatcher.ts'
import { InternalErrors } from '../../src/rpc/dispatch/internalErrors.ts'
import { RequestScope } from '../../src/rpc/dispatch/requestScope.ts'
import { createMethodTable, namespacesOf } from '../../src/rpc/dispatch/table.ts'
import { createWorkLimiters } from '../../src/rpc/dispatch/workLimiter.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import { MemoryBudget } from '../../src/rpc/memoryBudget.ts'
import { RpcMetrics } from '../../src/rpc/metrics.ts'
import { RawJson, StreamedResult } from '../../src/rpc/rawJson.ts'
import { ContractRegistry } from '../../src/solidity/contractRegistry.ts'

const operator = {
  transport: 'ipc',
  address: '',
  isLocal: true,
  authorizedUntil: Number.POSITIVE_INFINITY,
} as const

const failMissing = (): never => {
  throw new Error('this test has no such part')
}

/** A dependency whose every member throws. */
const createAbsent = <T extends object>(): T => new Proxy({} as T, { get: failMissing })

const noContext: ApiContext = {
  clientVersion: 'perihelion/v0.0.0/test/node0',
  home: '/nowhere',
  transports: {
    startHttp: failMissing,
    stopHttp: failMissing,
    startWs: failMissing,
    stopWs: failMissing,
    isListening: failMissing,
  },
  diagnostics: createAbsent(),
  log: createAbsent(),
  chain: createAbsent(),
  accounts: createAbsent(),
  keystore: createAbsent(),
  wallets: createAbsent(),
  senderLock: new KeyedQueue({ name: 'turn' }),
  subscriptions: createAbsent(),
  chainTraceSubscriptions: createAbsent(),
  filters: createAbsent(),
  logSettings: { logsCap: 0, logsBytesCap: 1_000_000, blockRangeCap: 0, logsClipToHead: false },
  saveMinimumGasPrice: failMissing,
  saveCoinbase: failMissing,
  contracts: new ContractRegistry(),
  abis: new AbiStore('/nowhere'),
  instanceId: '0x00',
  modules: failMissing,
  openRpc: failMissing,
}

const limiters = createWorkLimiters(loadConfig({ flags: ['--home', '/nowhere'], env: {} }).config.jsonRpc)

/** Calls a method as the operator and returns the parsed JSON of the result, or the error. */
export const callApi = async (
  method: string,
  params: readonly unknown[],
  context: Partial<ApiContext> = {},
  timeoutMs = 10_000,
): Promise<unknown> => {
  const metrics = new RpcMetrics(new Registry())
  const dispatcher = new Dispatcher(
    {
      table: createMethodTable(methods, namespacesOf(methods)),
      context: { ...noContext, ...context },
      toRpcError: toRpcError,
      rules: { allowInsecureUnlock: false },
    },
    { limiters, metrics, internalErrors: new InternalErrors({ metrics, log: createLogger('silent') }) },
  )
  const scope = new RequestScope(operator, timeoutMs, new RateLimiter(0, 0), new MemoryBudget(100_000_000))
  const outcome = await dispatcher.dispatch({ id: '1', method, params }, scope)
  scope.close()
  if (outcome instanceof RpcError) return outcome
  if (outcome instanceof StreamedResult) return JSON.parse(Buffer.concat(await outcome.collect()).toString())
  return JSON.parse(outcome instanceof RawJson ? Buffer.concat(outcome.parts).toString() : outcome)
}
