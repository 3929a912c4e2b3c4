import { Registry } from 'prom-client'
import { explainChainError } from '../../src/api/chainErrors.ts'
import type { ApiContext } from '../../src/api/context.ts'
import { methods } from '../../src/api/methods.ts'
import { KeyedQueue } from '../../src/base/keyedQueue.ts'
import { createLogger } from '../../src/base/log.ts'
import { RateLimiter } from '../../src/rpc/access/rateLimit.ts'
import { Dispatcher } from '../../src/rpc/dispatch/dispatch.ts'
import { RequestScope } from '../../src/rpc/dispatch/scope.ts'
import { createMethodTable, namespacesOf } from '../../src/rpc/dispatch/table.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import { LongJson, RawJson } from '../../src/rpc/json.ts'
import { RpcMetrics } from '../../src/rpc/metrics.ts'

const operator = {
  transport: 'ipc',
  address: '',
  isLocal: true,
  authorizedUntil: Number.POSITIVE_INFINITY,
} as const

const nowhere = (): never => {
  throw new Error('this test has no such part')
}

/** Throws whatever is asked of it. */
const absent = <T extends object>(): T => new Proxy({} as T, { get: nowhere })

const noContext: ApiContext = {
  clientVersion: 'perihelion/v0.0.0/test/node0',
  home: '/nowhere',
  transports: {
    startHttp: nowhere,
    stopHttp: nowhere,
    startWs: nowhere,
    stopWs: nowhere,
    isListening: nowhere,
  },
  instruments: absent(),
  log: absent(),
  chain: absent(),
  accounts: absent(),
  keystore: absent(),
  wallets: absent(),
  sending: new KeyedQueue({ name: 'turn' }),
  subscriptions: absent(),
  chainTraces: absent(),
  filters: absent(),
  logSettings: { logsCap: 0, logsBytesCap: 1_000_000, blockRangeCap: 0, logsClipToHead: false },
  saveMinimumGasPrice: nowhere,
  saveCoinbase: nowhere,
  modules: nowhere,
  openRpc: nowhere,
}

/** Calls a method of the table as the operator would: what comes back is the result's JSON, parsed, or the error. */
export const callApi = async (
  method: string,
  params: readonly unknown[],
  context: Partial<ApiContext> = {},
): Promise<unknown> => {
  const dispatcher = new Dispatcher(
    {
      table: createMethodTable(methods, namespacesOf(methods)),
      context: { ...noContext, ...context },
      explain: explainChainError,
      rules: { allowInsecureUnlock: false },
    },
    { metrics: new RpcMetrics(new Registry()), log: createLogger('silent') },
  )
  const scope = new RequestScope(operator, 10_000, new RateLimiter(0, 0))
  const outcome = await dispatcher.dispatch({ id: '1', method, params }, scope)
  scope.close()
  if (outcome instanceof RpcError) return outcome
  if (outcome instanceof LongJson) return JSON.parse((await outcome.gather()).toString())
  return JSON.parse(outcome instanceof RawJson ? Buffer.concat(outcome.parts).toString() : outcome)
}
