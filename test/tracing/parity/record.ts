import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { unpackChain } from '../../geth/traces/fixtures.ts'
import { freePort } from '../../support/freePort.ts'
import { serveChain } from '../../support/programs/chainFiles.ts'
import { createRpcClient } from '../../support/rpc/rpcClient.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type AnvilTraces, saveAnvil } from './anvil.ts'
import type { Replayed } from './types.ts'

/** Gives the chain of traces to anvil, block by block, and keeps what it says: `npm run long -- recordAnvil`, with ANVIL. */

const anvil = process.env.ANVIL
if (anvil === undefined) throw new Error('ANVIL does not name a program')

interface Block {
  readonly timestamp: string
  readonly miner: string
  readonly baseFeePerGas: string
  readonly transactions: readonly string[]
}

const quantity = (number: number): string => `0x${number.toString(16)}`
const folder = temporaryHome()
const files = unpackChain(folder)
const own = await serveChain(files, join(folder, 'served'), ['--json-rpc.api=eth,debug'])
const port = await freePort()
const child = spawn(
  anvil,
  [
    ...['--init', files.genesis, '--port', String(port), '--chain-id', '4712', '--hardfork', 'osaka'],
    ...['--no-mining', '--order', 'fifo', '--gas-limit', '60000000'],
  ],
  { stdio: 'ignore' },
)
try {
  const peer = createRpcClient(`http://127.0.0.1:${port}`)
  while ((await peer.send('eth_chainId', []).catch(() => undefined)) === undefined)
    await new Promise((resolve) => setTimeout(resolve, 100))
  const head = Number(await own.client.call('eth_blockNumber'))
  const traces: Record<string, AnvilTraces[string]> = {}
  for (let number = 1; number <= head; number++) {
    const block = await own.client.call<Block>('eth_getBlockByNumber', quantity(number), false)
    for (const hash of block.transactions)
      await peer.call('eth_sendRawTransaction', await own.client.call('eth_getRawTransactionByHash', hash))
    await peer.call('evm_setNextBlockTimestamp', Number(block.timestamp))
    await peer.call('anvil_setCoinbase', block.miner)
    await peer.call('anvil_setNextBlockBaseFeePerGas', block.baseFeePerGas)
    await peer.call('evm_mine')
    const kinds = ['trace', 'stateDiff']
    const replayed = await peer.call<readonly Replayed[]>(
      'trace_replayBlockTransactions',
      quantity(number),
      kinds,
    )
    for (const { transactionHash, trace, stateDiff } of replayed)
      traces[transactionHash as string] = { trace, stateDiff }
  }
  saveAnvil(traces)
  process.stdout.write(`${Object.keys(traces).length} transactions\n`)
} finally {
  child.kill('SIGTERM')
  await once(child, 'close')
  await own.close()
  rmSync(folder, { recursive: true, force: true })
}
