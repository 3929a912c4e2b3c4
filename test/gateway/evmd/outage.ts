import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Hex, PrivateKeyAccount } from 'viem'
import { postJson } from '../../support/clients.ts'
import { isolatedFlags, runProgram } from '../../support/program.ts'
import { createRpcClient, type RpcClient } from '../../support/rpc/rpcClient.ts'
import { accountAt } from './accounts.ts'

/**
 * `npm run long -- evmdOutage --node http://…`: sends through a gateway, while whoever runs the node kills it and starts it again.
 * What was accepted has to be included. The chain must be for this alone: coins of the mnemonic's first account are spent.
 */
const { values } = parseArgs({
  options: {
    node: { type: 'string' },
    mnemonic: { type: 'string', default: `${'test '.repeat(11)}junk` },
    family: { type: 'string' },
    seconds: { type: 'string', default: '40' },
    senders: { type: 'string', default: '6' },
  },
})
const { node, mnemonic } = values
if (node === undefined) throw new Error('--node names the chain')

const home = mkdtempSync(join(tmpdir(), 'perihelion-outage-'))
const program = runProgram([
  'gateway',
  '--node',
  node,
  ...(values.family === undefined ? [] : [`--gateway.family=${values.family}`]),
  '--json-rpc.api=eth,net,web3,perihelion',
  '--json-rpc.rate-limit=0',
  ...isolatedFlags(home),
])

const isAway = async (): Promise<boolean> =>
  await postJson(node, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'health', params: {} })).then(
    () => false,
    () => true,
  )

const signTransfer = async (
  account: PrivateKeyAccount,
  chainId: number,
  nonce: number,
  to: Hex,
  value: bigint,
): Promise<string> =>
  await account.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to,
    value,
    gas: 21_000n,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })

const waitForReceipts = async (gateway: RpcClient, hashes: readonly string[]): Promise<string[]> => {
  let missing = [...hashes]
  for (let tries = 0; tries < 180 && missing.length > 0; tries++) {
    const found = await Promise.all(
      missing.map((hash) => gateway.call<unknown>('eth_getTransactionReceipt', hash).catch(() => null)),
    )
    missing = missing.filter((_, index) => found[index] === null)
    if (missing.length > 0) await sleep(1_000)
  }
  return missing
}

const run = async (): Promise<boolean> => {
  const { http = '' } = await program.ready()
  const gateway = createRpcClient(http)
  const chainId = Number(await gateway.call<string>('eth_chainId'))
  const nonceOf = async (address: Hex): Promise<number> =>
    Number(await gateway.call<string>('eth_getTransactionCount', address, 'latest'))
  const funder = accountAt(mnemonic, 0)
  const senders = Array.from({ length: Number(values.senders) }, (_, index) =>
    accountAt(mnemonic, 10 + index),
  )
  const first = await nonceOf(funder.address)
  const funding: string[] = []
  for (const [index, { address }] of senders.entries()) {
    const raw = await signTransfer(funder, chainId, first + index, address, 10n ** 18n)
    funding.push(await gateway.call<string>('eth_sendRawTransaction', raw))
  }
  if ((await waitForReceipts(gateway, funding)).length > 0) throw new Error('the senders got no coins')

  const end = Date.now() + Number(values.seconds) * 1_000
  const accepted: string[] = []
  const refused: string[] = []
  let [away, sentAway, reads, failedReads] = [false, 0, 0, 0]
  const send = async (account: PrivateKeyAccount): Promise<void> => {
    let nonce = await nonceOf(account.address)
    while (Date.now() < end) {
      const raw = await signTransfer(account, chainId, nonce, funder.address, 1n)
      const { result, error } = await gateway.send('eth_sendRawTransaction', [raw])
      if (error === undefined) {
        accepted.push(String(result))
        nonce++
        if (away) sentAway++
      } else refused.push(error.message)
      await sleep(400)
    }
  }
  const look = async (): Promise<void> => {
    while (Date.now() < end) {
      away = await isAway()
      reads++
      const { error } = await gateway.send('eth_getBlockByNumber', ['latest', false])
      if (error !== undefined) failedReads++
      await sleep(250)
    }
  }
  await Promise.all([...senders.map(send), look()])
  const missing = await waitForReceipts(gateway, accepted)
  const { verified, lies } = await gateway.call<Record<string, unknown>>('perihelion_status')
  const lines = [
    `${accepted.length} accepted, ${accepted.length - missing.length} included, ${sentAway} of them sent while no node was there`,
    `${refused.length} refused${refused.length > 0 ? `: ${[...new Set(refused)].join('; ')}` : ''}`,
    `${reads} reads of the newest block, ${failedReads} failed`,
    `head ${Number(await gateway.call<string>('eth_blockNumber'))}, verified ${JSON.stringify(verified)}, lies ${JSON.stringify(lies)}`,
    ...missing.map((hash) => `MISSING ${hash}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return missing.length === 0
}

let isKept = false
try {
  isKept = await run()
} finally {
  program.child.kill('SIGTERM')
  await program.ended()
  rmSync(home, { recursive: true, force: true })
}
process.exit(isKept ? 0 : 1)
