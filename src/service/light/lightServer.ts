import { randomBytes } from 'node:crypto'
import { Registry } from 'prom-client'
import { toRpcError } from '../../api/answers/chainErrors.ts'
import { methods as nodeMethods } from '../../api/methods.ts'
import { AnyJson } from '../../api/wire/basic.ts'
import type { Logger } from '../../base/logging/log.ts'
import { clientVersion } from '../../base/version.ts'
import { formatAddress } from '../../config/kinds/addresses.ts'
import type { JsonRpcSettings } from '../../config/settings/settings.ts'
import { createSubscriptionId, toNotification, toSubscriptionMessage } from '../../events/ethSubscription.ts'
import { LightError, type LightProvider } from '../../provider/index.ts'
import { RpcError } from '../../rpc/errors.ts'
import { defineMethod, type Method, optionalParam } from '../../rpc/method.ts'
import { RpcServer } from '../../rpc/server.ts'
import { jsonPage, Pages } from '../../rpc/transport/pages.ts'
import { LightSubscriptions } from './lightSubscriptions.ts'

interface LightContext {
  readonly provider: LightProvider
  readonly subscriptions: LightSubscriptions
}

const define = defineMethod<LightContext>()

/** No method takes more. */
const params = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map((name) =>
  optionalParam(name, AnyJson, 'As a node takes it.'),
)

const toError = (error: unknown): RpcError | undefined =>
  error instanceof LightError ? new RpcError(error.code, error.message, error.data) : toRpcError(error)

type Handler = Method<LightContext>['handler']

const defineLight = (name: string, handler: Handler): Method<LightContext> =>
  define({
    name,
    summary: 'Answered by what is proven.',
    access: 'public',
    params,
    result: { name: 'result', type: AnyJson },
    examples: [],
    handler,
  })

/** Has the provider answer: it proves what can be proven, and rejects the rest or marks it. */
const ask = (name: string): Handler => {
  return (args, { provider }) => {
    const given = args.slice(0, args.findLastIndex((one) => one !== undefined) + 1)
    return provider.request({ method: name, params: given })
  }
}

const own: Readonly<Record<string, Handler>> = {
  web3_clientVersion: () => `light-${clientVersion}`,
  eth_subscribe: ([kind, options], { subscriptions }, scope) => subscriptions.add(scope, kind, options),
  eth_unsubscribe: ([id], { subscriptions }, scope) => subscriptions.remove(scope, id),
}

const namespaces = ['eth', 'net', 'web3', 'txpool', 'debug', 'trace', 'ots', 'erigon', 'cosmos', 'perihelion']

/** The public methods of nodes. */
const methods: readonly Method<LightContext>[] = nodeMethods
  .filter(({ name, access }) => access === 'public' && namespaces.some((one) => name.startsWith(`${one}_`)))
  .map(({ name }) => defineLight(name, own[name] ?? ask(name)))

export interface LightServer {
  readonly url: string
  close(): Promise<void>
}

/** Serves a provider over HTTP and WebSocket on one address. */
export const startLightServer = async (
  settings: JsonRpcSettings,
  provider: LightProvider,
  log: Logger,
): Promise<LightServer> => {
  const server = new RpcServer<LightContext>(settings, {
    methods,
    context: {
      provider,
      subscriptions: new LightSubscriptions(provider, createSubscriptionId, (result) =>
        toNotification([toSubscriptionMessage(Buffer.from(JSON.stringify(result)))]),
      ),
    },
    toRpcError: toError,
    namespaces,
    isDev: false,
    pages: new Pages({
      '/health': async () => {
        const { number } = await provider.head()
        return jsonPage(200, { status: 'ok', block: number })
      },
    }),
    secret: randomBytes(32),
    registry: new Registry(),
    log,
  })
  await server.start()
  const address = server.addressOf('http')
  return { url: address === undefined ? '' : `http://${formatAddress(address)}`, close: () => server.close() }
}
