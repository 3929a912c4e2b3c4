import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { Site } from '../../../src/rpc/transport/site.ts'
import { type Reader, startTestServer, type TestServer, temporaryHome } from '../../support/testServer.ts'
import { maxBodyBytes } from './requests.ts'

export type ReuseServer = Pick<TestServer, 'http' | 'secret' | 'close'>

/** Starts a server with a site for browsers, as the dev profile has one. */
export const startReuseServer = async (
  reader: Reader,
  settings: readonly string[] = [],
): Promise<ReuseServer> => {
  const folder = temporaryHome()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html.gz'), gzipSync('<p>page</p>'))
  const site = new Site(pathToFileURL(`${folder}/`))
  const flags = [`--json-rpc.max-body-size=${maxBodyBytes}`, '--json-rpc.cors=http://localhost', ...settings]
  const server = await startTestServer(flags, { reader, site })
  return {
    ...server,
    close: async () => {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** How many cases are under way at a time. */
const concurrency = 32

/** Runs `work` for every item, some at a time. */
export const atOnce = async <T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  limit = concurrency,
): Promise<void> => {
  const rest = items.values()
  const run = async (): Promise<void> => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: limit }, run))
}

/** Nobody waits so long for an answer, on a busy machine either. */
const stuckAfterMs = 30_000

/** Waits for what should come soon; undefined if it does not come. */
export const unlessStuck = async <T>(awaited: Promise<T>): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const stuck = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), stuckAfterMs)
  })
  return Promise.race([awaited, stuck]).finally(() => clearTimeout(timer))
}
