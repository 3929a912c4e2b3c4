import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { mnemonicToAccount } from 'viem/accounts'
import { createGenesis } from '../../test/geth/genesis.ts'
import { serveInGeth } from '../../test/geth/gethChain.ts'
import { assemble } from '../../test/support/evm/assemble.ts'
import { makeChain, serveChain } from '../../test/support/programs/chainFiles.ts'
import { findGeth } from '../../test/support/programs/findProgram.ts'
import type { RpcClient } from '../../test/support/rpc/rpcClient.ts'
import { temporaryHome } from '../../test/support/testServer.ts'
import { median } from '../support/median.ts'

/**
 * `npm run bench -- trace [rounds]`: traces of one heavy transaction over HTTP, here and in geth where it is on the path or in
 * GETH. The transaction runs a loop for 560,000 gas: arithmetic on a full stack, and a call in each round.
 */

const account = mnemonicToAccount('test test test test test test test test test test test junk')
const chainId = 4_713
const heavy = `0x${'ee'.repeat(20)}` as const
const rounds = Number(process.argv[2] ?? 15)

/** Ten words lie on the stack all the while. The loop begins at the JUMPDEST behind them. */
const words = Array.from({ length: 10 }, (_, index) => `0x${'5a'.repeat(1 + (index % 3))}`).join(' ')
const before = (assemble(words).length - 2) / 2
const arithmetic = 'DUP1 DUP3 MUL DUP2 ADD 7 SUB DUP4 XOR 3 SHR POP '.repeat(14)
const call = '32 0 32 0 4 GAS STATICCALL POP'
const code = assemble(`${words} JUMPDEST ${arithmetic} ${call} ${before} JUMP`)

const traced = {
  callTracer: { tracer: 'callTracer' },
  'struct logger': {},
  'struct logger with memory': { enableMemory: true },
  'struct logger without stack': { disableStack: true },
  prestateTracer: { tracer: 'prestateTracer' },
} as const

interface Figure {
  readonly milliseconds: number
  readonly bytes: number
}

const measure = async ({ url }: RpcClient, hash: string, config: object): Promise<Figure> => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'debug_traceTransaction',
    params: [hash, config],
  })
  const times: number[] = []
  let bytes = 0
  for (let round = 0; round < rounds + 3; round++) {
    const start = performance.now()
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    })
    const text = await response.arrayBuffer()
    // The first rounds warm up.
    if (round >= 3) times.push(performance.now() - start)
    bytes = text.byteLength
    const head = Buffer.from(text.slice(0, 60)).toString()
    if (head.includes('"error"')) throw new Error(Buffer.from(text.slice(0, 300)).toString())
  }
  return { milliseconds: median(times), bytes }
}

const folder = temporaryHome()
try {
  let hash = ''
  const own = join(folder, 'own')
  mkdirSync(own)
  const files = await makeChain({
    folder: own,
    genesis: createGenesis(chainId, {
      [account.address]: { balance: '0xffffffffffffffffff' },
      [heavy]: { balance: '0x0', nonce: '0x1', code },
    }),
    flags: [`--chain-id=${chainId}`],
    script: async (node) => {
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce: 0,
        gas: 560_000n,
        to: heavy,
        maxFeePerGas: 10_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
      })
      hash = await node.call<string>('eth_sendRawTransaction', raw)
    },
  })
  const geth = findGeth()
  const here = await serveChain(files, join(folder, 'served'), ['--json-rpc.api=eth,debug'])
  const peer =
    geth === undefined ? undefined : await serveInGeth(files, { geth, folder: join(folder, 'geth') })
  try {
    process.stdout.write(`| trace of 560,000 gas | here | geth | times as fast |\n|---|---|---|---|\n`)
    const format = ({ milliseconds, bytes }: Figure): string =>
      `${milliseconds.toFixed(1)} ms (${(bytes / 1e6).toFixed(2)} MB)`
    for (const [name, config] of Object.entries(traced)) {
      const ours = await measure(here.client, hash, config)
      const theirs = peer && (await measure(peer.client, hash, config))
      const ratio = theirs === undefined ? '' : (theirs.milliseconds / ours.milliseconds).toFixed(1)
      process.stdout.write(
        `| ${name} | ${format(ours)} | ${theirs ? format(theirs) : 'not there'} | ${ratio} |\n`,
      )
    }
  } finally {
    await here.close()
    await peer?.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
