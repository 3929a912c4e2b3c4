import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createChain } from '../../support/programs/chainFiles.ts'
import { findGeth } from '../../support/programs/findProgram.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { serveInGeth } from '../gethChain.ts'
import { digest } from './compare.ts'
import { saveFixtures, scriptFailure, unpackChain } from './fixtures.ts'
import { isScriptFailure, traceChain } from './traceChain.ts'
import { sendTransactions, traceGenesis } from './transactions.ts'

/**
 * Keeps what geth says about the chain: `npm run long -- recordTraces`, with geth on the path or in GETH. With `new` it
 * makes the chain anew.
 */

/** Every so many transactions the output is kept in full, where it is short. */
const sampleEvery = 11
const sampleBytes = 6_000

const geth = findGeth()
if (geth === undefined) throw new Error('geth is neither on the path nor named by GETH')
const folder = temporaryHome()
const own = join(folder, 'own')
mkdirSync(own)
try {
  const options = {
    folder: own,
    genesis: traceGenesis(),
    flags: ['--chain-id=4712'],
    script: sendTransactions,
  }
  const files = process.argv.includes('new') ? await createChain(options) : unpackChain(own)
  const peer = await serveInGeth(files, { geth, folder: join(folder, 'geth') })
  try {
    const transactions: string[] = []
    const digests: Record<string, string[]> = {}
    const samples: Record<string, Record<string, unknown>> = {}
    await traceChain(peer.client, ({ tracer, hash, output }) => {
      if (!transactions.includes(hash)) transactions.push(hash)
      const list = digests[tracer] ?? []
      digests[tracer] = list
      list.push(isScriptFailure(output) ? scriptFailure : digest(output))
      const isShort = JSON.stringify(output).length <= sampleBytes
      if (list.length % sampleEvery === 1 && isShort) samples[tracer] = { ...samples[tracer], [hash]: output }
    })
    const version = await peer.client.call<string>('web3_clientVersion')
    saveFixtures(files, {
      version: version.replace(/\/.*(v[\d.]+)-.*/, '/$1'),
      transactions,
      digests,
      samples,
    })
    process.stdout.write(`${transactions.length} transactions, ${Object.keys(digests).length} tracers\n`)
  } finally {
    await peer.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
