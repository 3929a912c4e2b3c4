import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { splitRlp } from '../../src/base/encoding/rlp.ts'
import { type Block, decodeBlock } from '../../src/chain/block/block.ts'
import { type Genesis, parseGenesis } from '../../src/chain/genesis/genesis.ts'
import { serveChain } from '../support/programs/chainFiles.ts'
import { temporaryHome } from '../support/testServer.ts'
import { executionApis } from './officialSuites.ts'

/** The chain of the official API suite and its recorded conversations. */

export const hasOfficialChain = existsSync(join(executionApis, 'chain.rlp'))

export const officialGenesis = (): Genesis =>
  parseGenesis(readFileSync(join(executionApis, 'genesis.json'), 'utf8'))

/** The encoded blocks from number 1 on. */
export const officialBlockRlps = (): Uint8Array[] =>
  splitRlp(new Uint8Array(readFileSync(join(executionApis, 'chain.rlp'))))

export const officialBlocks = (): Block[] => officialBlockRlps().map(decodeBlock)

interface Exchange {
  readonly file: string
  readonly params: readonly unknown[]
  /** The text of `result`, byte for byte; undefined where the answer is an error. */
  readonly result: string | undefined
}

/** The recorded calls of one method. */
export const exchanges = (method: string): Exchange[] =>
  readdirSync(join(executionApis, method)).map((file) => {
    const lines = readFileSync(join(executionApis, method, file), 'utf8').split('\n')
    const line = (prefix: string) => (lines.find((text) => text.startsWith(prefix)) ?? '').slice(3)
    const { params } = JSON.parse(line('>> ')) as { params: unknown[] }
    const answer = /^\{"jsonrpc":"2.0","id":\d+,"result":(.*)\}$/.exec(line('<< '))
    return { file: `${method}/${file}`, params, result: answer?.[1] }
  })

export interface ServedChain {
  readonly http: string
  close(): Promise<void>
}

/** Imports the chain and serves it by the built program. */
export const serveOfficialChain = async (...flags: readonly string[]): Promise<ServedChain> => {
  const home = temporaryHome()
  const files = { chain: join(executionApis, 'chain.rlp'), genesis: join(executionApis, 'genesis.json') }
  const { client, close } = await serveChain(files, home, flags)
  return {
    http: client.url,
    close: async () => {
      await close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
