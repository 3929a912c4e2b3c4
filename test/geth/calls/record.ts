// A chain that is made here and executed by geth, and what geth answers to random calls on it:
// `npm run long -- recordCalls`, with geth on the path or in GETH, writes the files of exported/.
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeChain } from '../../support/programs/chainFiles.ts'
import { findGeth } from '../../support/programs/findProgram.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { serveInGeth } from '../gethChain.ts'
import { genesis, script } from './chain.ts'
import { createCalls } from './randomCalls.ts'

const geth = findGeth()
if (geth === undefined) throw new Error('geth is neither on the path nor named by GETH')
const fixture = (name: string): string => fileURLToPath(new URL(`exported/${name}`, import.meta.url))
const folder = temporaryHome()
try {
  const files = await makeChain({ folder, genesis, script })
  const { client, close } = await serveInGeth(files, { geth, folder: join(folder, 'geth') })
  try {
    const head = await client.call<{ number: string; hash: string }>('eth_getBlockByNumber', 'latest', false)
    const lines: string[] = []
    for (const { method, params } of createCalls(500, Number(head.number)))
      lines.push(JSON.stringify({ method, params, ...(await client.send(method, params)) }))
    const version = await client.call<string>('web3_clientVersion')
    const facts = `"version":${JSON.stringify(version)},"head":${JSON.stringify(head.hash)}`
    writeFileSync(fixture('calls.json'), `{${facts},"calls":[\n${lines.join(',\n')}\n]}\n`)
  } finally {
    await close()
  }
  copyFileSync(files.genesis, fixture('genesis.json'))
  copyFileSync(files.chain, fixture('chain.rlp'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
