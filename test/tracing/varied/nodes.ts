import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/freePort.ts'
import { isolatedFlags, runProgram } from '../../support/program.ts'
import { createRpcClient, type RpcClient } from '../../support/rpc/rpcClient.ts'
import { type AccountState, chainId, hashOf, type VariedChain } from './variedChain.ts'

/** A node with a chain of varied transactions, which makes a block when it is told to. */
export interface VariedNode {
  readonly client: RpcClient
  close(): Promise<void>
}

export interface MadeBlock {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: string
  readonly miner: string
  readonly baseFeePerGas: string
  readonly gasLimit: string
  readonly mixHash: string
  readonly transactions: readonly string[]
}

/** Starts the built program with the chain's first block. */
export const startOwnNode = async (
  folder: string,
  { genesis }: VariedChain,
): Promise<VariedNode & { readonly ws: string }> => {
  const path = join(folder, 'genesis.json')
  writeFileSync(path, JSON.stringify(genesis))
  const program = runProgram([
    ...['start', ...isolatedFlags(join(folder, 'home')), '--genesis', path, '--dev=true', '--ephemeral'],
    // Whose balance the recorded traces have.
    '--coinbase=0xBcd4042DE499D14e55001CcbB24a551F3b954096',
    '--json-rpc.trace-timeout=120s',
  ])
  const { http = '', ws = '' } = await program.ready()
  const client = createRpcClient(http)
  await client.call('evm_setAutomine', false)
  return {
    client,
    ws,
    close: async () => {
      program.child.kill('SIGTERM')
      await program.ended()
    },
  }
}

/** Starts anvil with the same first block; `startOwnNode` has written it. */
export const startAnvilNode = async (file: string, folder: string): Promise<VariedNode> => {
  const port = await freePort()
  const child = spawn(
    file,
    [
      ...['--init', join(folder, 'genesis.json'), '--port', String(port), '--chain-id', String(chainId)],
      ...['--hardfork', 'osaka', '--no-mining', '--order', 'fifo', '--gas-limit', '60000000'],
    ],
    { stdio: 'ignore' },
  )
  const client = createRpcClient(`http://127.0.0.1:${port}`)
  await eventually(async () => (await client.send('eth_chainId', []).catch(() => undefined)) !== undefined)
  return {
    client,
    close: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    },
  }
}

/** Makes the next block of a chain; throws if it does not hold exactly its transactions. */
export const produceBlock = async ({ client }: VariedNode, raws: readonly Hex[]): Promise<MadeBlock> => {
  for (const raw of raws) await client.call('eth_sendRawTransaction', raw)
  await client.call('evm_mine')
  const block = await client.call<MadeBlock>('eth_getBlockByNumber', 'latest', false)
  const wanted = raws.map(hashOf)
  if (block.transactions.join() !== wanted.join())
    throw new Error(`block ${block.number} has ${block.transactions}, not ${wanted}`)
  return block
}

/** Makes the same block on a peer: with the time, the fees and the proposer that ours has. */
export const repeatBlock = async (
  peer: VariedNode,
  { timestamp, miner, baseFeePerGas }: MadeBlock,
  raws: readonly Hex[],
): Promise<MadeBlock> => {
  await peer.client.call('evm_setNextBlockTimestamp', Number(timestamp))
  await peer.client.call('anvil_setCoinbase', miner)
  await peer.client.call('anvil_setNextBlockBaseFeePerGas', baseFeePerGas)
  return produceBlock(peer, raws)
}

/** Returns the function that reads an account at the head of a node. */
export const accountReader =
  ({ client }: VariedNode) =>
  async (address: string): Promise<AccountState> => ({
    nonce: Number(await client.call<string>('eth_getTransactionCount', address, 'latest')),
    balance: BigInt(await client.call<string>('eth_getBalance', address, 'latest')),
  })
