import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { recoverAuthorizationAddress } from 'viem/utils'
import { locatePeer } from '../../../bench/support/peers/locate.ts'
import { temporaryHome } from '../../support/testServer.ts'
import type { Replayed } from '../parity/types.ts'
import {
  accountReader,
  type MadeBlock,
  produceBlock,
  repeatBlock,
  startAnvilNode,
  startOwnNode,
} from './nodes.ts'
import {
  anvilForm,
  digestOf,
  explainAnvil,
  inspectorForms,
  ourForms,
  partingPlace,
  type RecordedTransaction,
  type Said,
  saveRecorded,
} from './others.ts'
import { chainId, VariedChain } from './variedChain.ts'

/**
 * Records what anvil (ANVIL) and a program that drives revm-inspectors (INSPECTORS) say of TRANSACTIONS varied transactions
 * from SEED on: `npm run long -- recordVaried`. The latter is given the chain as JSON, and writes a line for each
 * transaction with its hash and its results.
 */

const count = Number(process.env.TRANSACTIONS ?? 1_000)
const seed = Number(process.env.SEED ?? 1)
const anvil = locatePeer('anvil')?.file
const inspectors = process.env.INSPECTORS
if (anvil === undefined) throw new Error('there is no anvil: ANVIL or BENCH_PEERS names it')
if (inspectors === undefined) throw new Error('INSPECTORS names no program')

interface FullTransaction {
  readonly hash: string
  readonly authorizationList?: readonly {
    readonly chainId: string
    readonly address: `0x${string}`
    readonly nonce: string
    readonly yParity: string
    readonly r: `0x${string}`
    readonly s: `0x${string}`
  }[]
}

/** Adds who signed each authorization: the program that drives the inspectors recovers nothing. */
const withAuthorities = async (transaction: FullTransaction) => {
  const { authorizationList } = transaction
  if (authorizationList === undefined) return transaction
  const signed = await Promise.all(
    authorizationList.map(async ({ chainId: id, address, nonce, yParity, r, s }) => ({
      ...{ chainId: id, address, nonce },
      authority: await recoverAuthorizationAddress({
        authorization: { chainId: Number(id), address, nonce: Number(nonce), yParity: Number(yParity), r, s },
      }),
    })),
  )
  return { ...transaction, authorizationList: signed }
}

const folder = temporaryHome()
const chain = new VariedChain(seed)
const own = await startOwnNode(folder, chain)
const peer = await startAnvilNode(anvil, folder)
try {
  const versions = { anvil: await peer.client.call<string>('web3_clientVersion') }
  const blocks: object[] = []
  const ours: Replayed[] = []
  const anvils: Replayed[] = []
  while (ours.length < count) {
    const raws = await chain.nextBlock(count - ours.length, accountReader(own))
    const block = await produceBlock(own, raws)
    await repeatBlock(peer, block, raws)
    const kinds = ['trace', 'stateDiff']
    anvils.push(
      ...(await peer.client.call<readonly Replayed[]>('trace_replayBlockTransactions', block.number, kinds)),
    )
    const all = [...kinds, 'vmTrace']
    ours.push(
      ...(await own.client.call<readonly Replayed[]>('trace_replayBlockTransactions', block.number, all)),
    )
    const { transactions } = await own.client.call<{ transactions: readonly FullTransaction[] }>(
      'eth_getBlockByNumber',
      block.number,
      true,
    )
    const header: Partial<MadeBlock> = { ...block }
    blocks.push({ ...header, transactions: await Promise.all(transactions.map(withAuthorities)) })
  }
  const { alloc } = chain.genesis as { alloc: object }
  const inspected = await inspect(inspectors, JSON.stringify({ chainId, alloc, blocks }))
  const transactions = ours.map((replayed, index): RecordedTransaction => {
    const hash = replayed.transactionHash ?? ''
    const said = ourForms(replayed)
    const their: Said = {
      anvil: anvilForm(anvils[index] as Replayed),
      ...inspectorForms(inspected.get(hash) as Replayed),
    }
    const exceptions: Partial<Record<keyof Said, string>> = {}
    for (const name of Object.keys(said) as (keyof Said)[]) {
      if (said[name] === their[name]) continue
      const reason = name === 'anvil' ? explainAnvil(replayed, anvils[index] as Replayed) : undefined
      if (reason !== undefined) exceptions[name] = reason
      else process.stdout.write(`${index} ${hash}: ${name}\n${partingPlace(said[name], their[name])}\n`)
    }
    const digests = Object.fromEntries(
      Object.entries(their).map(([name, text]) => [name, digestOf(text)]),
    ) as Partial<Said>
    return { hash, digests, ...(Object.keys(exceptions).length > 0 && { exceptions }) }
  })
  saveRecorded({
    seed,
    versions: { ...versions, inspectors: process.env.INSPECTORS_VERSION ?? '' },
    transactions,
  })
  const excepted = transactions.filter(({ exceptions }) => exceptions !== undefined).length
  process.stdout.write(`${transactions.length} transactions, ${excepted} of them with exceptions\n`)
} finally {
  await own.close()
  await peer.close()
  rmSync(folder, { recursive: true, force: true })
}

async function inspect(file: string, json: string): Promise<ReadonlyMap<string, Replayed>> {
  const child = spawn(file, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  child.stdin.end(json)
  const results = new Map<string, Replayed>()
  for await (const line of createInterface({ input: child.stdout })) {
    const { hash, results: said } = JSON.parse(line) as { hash: string; results: Replayed }
    results.set(hash, said)
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`${file} ended with ${code}`)
  return results
}
