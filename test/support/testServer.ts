import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { createLogger } from '../../src/base/logging/log.ts'
import { formatAddress } from '../../src/config/kinds/addresses.ts'
import { loadConfig } from '../../src/config/load.ts'
import { isDevProfile } from '../../src/config/rules/profile.ts'
import { readKeyFile } from '../../src/rpc/access/keyFile.ts'
import { loadSecret } from '../../src/rpc/access/secret.ts'
import type { Method } from '../../src/rpc/method.ts'
import { RpcServer } from '../../src/rpc/server.ts'
import { jsonPage, type Page, Pages } from '../../src/rpc/transport/pages.ts'
import type { Site } from '../../src/rpc/transport/site.ts'
import { type TestContext, testMethods } from './rpc/testMethods.ts'

export interface TestServer {
  readonly server: RpcServer<TestContext>
  readonly context: TestContext
  readonly http: string
  readonly ws: string
  readonly ipcPath: string
  readonly secret: Uint8Array
  readonly registry: Registry
  readonly logLines: string[]
  close(): Promise<void>
}

export const temporaryHome = (): string => mkdtempSync(join(tmpdir(), 'perihelion-'))

export interface TestServerOptions {
  readonly methods?: readonly Method<TestContext>[]
  readonly reader?: Reader
  /** Pages beside that of health. */
  readonly pages?: Readonly<Record<string, Page>>
  /** The files for browsers. */
  readonly site?: Site
}

/** Who reads the requests over HTTP: what is ordinary is read from the socket, or node:http reads all of them. */
export type Reader = (typeof readers)[number]
export const readers = ['us', 'node:http'] as const

/** Starts a server on free ports with the test methods. `flags` are settings as on the command line. */
export const startTestServer = async (
  flags: readonly string[] = [],
  { methods = testMethods, reader = 'us', pages = {}, site }: TestServerOptions = {},
): Promise<TestServer> => {
  const home = temporaryHome()
  const given = new Set(flags.map((flag) => flag.split('=')[0]))
  const defaults = ['--json-rpc.address=127.0.0.1:0', '--json-rpc.ws-address=127.0.0.1:0', '--dev=false']
  const missing = defaults.filter((flag) => !given.has(flag.split('=')[0]))
  const { config } = loadConfig({ flags: ['--home', home, ...missing, ...flags], env: {} })
  const context: TestContext = { heard: [], aborted: 0, sleeping: 0 }
  const logLines: string[] = []
  const registry = new Registry()
  const secret = loadSecret(home)
  const server = new RpcServer(config.jsonRpc, {
    isDev: isDevProfile(config),
    methods,
    context,
    namespaces: ['test'],
    pages: new Pages({ '/health': async () => jsonPage(200, { status: 'ok' }), ...pages }),
    site,
    secret,
    readsByNode: reader === 'node:http',
    keys: config.jsonRpc.keys === undefined ? undefined : readKeyFile(config.jsonRpc.keys),
    registry,
    log: createLogger('trace', { write: (line: string) => void logLines.push(line) }),
  })
  const ipcPath = config.ipcPath ?? join(home, 'perihelion.ipc')
  await server
    .startIpc(ipcPath)
    .then(() => server.start())
    .catch((error: unknown) => {
      rmSync(home, { recursive: true, force: true })
      throw error
    })
  const url = (role: 'http' | 'ws'): string => {
    const address = server.addressOf(role)
    return address === undefined ? '' : `${role}://${formatAddress(address)}`
  }
  return {
    server,
    context,
    http: url('http'),
    ws: url('ws'),
    ipcPath,
    secret,
    registry,
    logLines,
    close: async () => {
      await server.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
