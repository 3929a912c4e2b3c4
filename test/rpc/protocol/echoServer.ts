import { Registry } from 'prom-client'
import { createLogger } from '../../../src/base/logging/log.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { createClientAddressResolver } from '../../../src/rpc/access/clientAddress.ts'
import { OriginPolicy } from '../../../src/rpc/access/originPolicy.ts'
import { RateLimiter } from '../../../src/rpc/access/rateLimit.ts'
import { RequestGuard } from '../../../src/rpc/access/requestGuard.ts'
import { InternalErrors } from '../../../src/rpc/dispatch/internalErrors.ts'
import type { RequestHandler } from '../../../src/rpc/dispatch/requestHandler.ts'
import { MemoryBudget } from '../../../src/rpc/memoryBudget.ts'
import { RpcMetrics } from '../../../src/rpc/metrics.ts'
import { SendBacklog } from '../../../src/rpc/transport/backlog.ts'
import { ConnectionLimiter } from '../../../src/rpc/transport/connectionLimiter.ts'
import { UnreadResponses } from '../../../src/rpc/transport/http/unreadResponses.ts'
import { Listener } from '../../../src/rpc/transport/listener.ts'
import { Pages } from '../../../src/rpc/transport/pages.ts'

/** Answers every message with itself. */
const echo = { handle: (text: string) => text } as unknown as RequestHandler // the transports call nothing else of it

export interface EchoServer {
  readonly ws: string
  close(): Promise<void>
}

/** Our transport of WebSockets with a handler that echoes, for suites that test the protocol alone. */
export const startEchoServer = async (flags: readonly string[] = []): Promise<EchoServer> => {
  const { config } = loadConfig({ flags: ['--home=/nowhere', ...flags], env: {} })
  const { jsonRpc } = config
  const registry = new Registry()
  const log = createLogger('error')
  const metrics = new RpcMetrics(registry)
  const budget = new MemoryBudget(jsonRpc.requestMemory)
  const rateLimiter = new RateLimiter(0, 0)
  const listener = new Listener({ ...jsonRpc, address: { host: '127.0.0.1', port: 0 } }, ['ws'], {
    requestHandler: echo,
    rateLimiter,
    budget,
    metrics,
    log,
    internalErrors: new InternalErrors({ metrics, log }),
    guard: new RequestGuard({
      originPolicy: new OriginPolicy({ vhosts: [], cors: [], allowLocalhostPages: true }),
      findClient: createClientAddressResolver([]),
      secret: new Uint8Array(32),
      keys: undefined,
      rateLimiter,
      metrics,
    }),
    pages: new Pages({}),
    connections: new ConnectionLimiter(jsonRpc.maxOpenConnections, metrics),
    backlog: new SendBacklog(jsonRpc.wsTotalBacklog, budget),
    unreadResponses: new UnreadResponses(jsonRpc.httpTotalBacklog, metrics),
  })
  await listener.start()
  return {
    ws: `ws://127.0.0.1:${listener.address.port}`,
    close: () => listener.stop(1000),
  }
}
