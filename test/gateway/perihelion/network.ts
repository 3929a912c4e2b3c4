import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isolatedFlags, type Program, runProgram } from '../../support/program.ts'
import { Traffic, type TrafficSource } from '../../support/traffic/traffic.ts'
import { createRpc } from '../../support/verifier/rpc.ts'
import { VariedTraffic } from '../../tracing/varied/variedTraffic.ts'
import { IpcClient } from './ipcClient.ts'
import type { ChainExample, SampleBlock, SampleTransaction } from './requests.ts'

/** A network under CometBFT with a gateway in front of one of its nodes. */
export interface PerihelionNetwork {
  readonly node: IpcClient
  readonly gateway: IpcClient
  readonly sample: ChainExample
  /** CometBFT's own RPC. */
  readonly engineUrl: string
  close(): Promise<void>
}

const environment = (): Record<string, string> =>
  Object.fromEntries(
    ['HOME', 'PERIHELION_COMETBFT'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

type Facts = Readonly<Record<string, string>>

const factsOf = (line: string): Facts =>
  Object.fromEntries(line.split(' ').map((part) => part.split(/=(.*)/s).slice(0, 2)))

/** What nodes of a testnet serve. */
const namespaces = 'eth,net,web3,txpool,debug,trace,ots,erigon,clique,perihelion,cosmos,rpc'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Two validators: without one of them the chain stands still, and what is left of it still answers. */
const startNodes = async (
  home: string,
): Promise<{ readonly program: Program; readonly nodes: readonly Facts[] }> => {
  const program = runProgram(
    ['testnet', '--home', home, '--validators', '2', '--block-time', '200'],
    environment(),
  )
  let code: number | NodeJS.Signals | undefined
  void program.ended().then((ended) => {
    code = ended
  })
  while (!/^testnet ready/m.test(program.stdout())) {
    if (code !== undefined) throw new Error(`testnet ended with ${code}: ${program.stderr().slice(-2000)}`)
    await pause(100)
  }
  const lines = program
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('testnet node='))
  return { program, nodes: lines.map(factsOf) }
}

const stopProgram = async (program: Program): Promise<void> => {
  program.child.kill('SIGTERM')
  await program.ended()
}

/** Makes so many blocks with traffic in them, stops the chain, and waits until the gateway is at its end. */
export const startPerihelionNetwork = async (height: number): Promise<PerihelionNetwork> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-gw-'))
  const closing: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end()
  }
  try {
    const { program, nodes } = await startNodes(join(folder, 'net'))
    closing.push(() => stopProgram(program))
    const [first = {}, second = {}] = nodes
    const gatewayHome = join(folder, 'gw')
    const gatewayProgram = runProgram(
      ['gateway', '--node', first.rpc ?? '', '--json-rpc.api', namespaces, ...isolatedFlags(gatewayHome)],
      environment(),
    )
    closing.push(() => stopProgram(gatewayProgram))
    await gatewayProgram.ready()
    const traffics = await produceBlocks(first.http ?? '', height)
    process.kill(Number(second['engine-pid']), 'SIGKILL')
    process.kill(Number(second.pid), 'SIGKILL')
    const node = new IpcClient(join(first.home ?? '', 'perihelion.ipc'))
    const gateway = new IpcClient(join(gatewayHome, 'perihelion.ipc'))
    closing.push(() => {
      node.close()
      gateway.close()
    })
    await waitForEnd(node, gateway)
    return { node, gateway, sample: await sampleOf(node, traffics), engineUrl: first.rpc ?? '', close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Each sends one transaction after the other: an account that delegates may have no second one under way. */
const sources = 4

const produceBlocks = async (url: string, height: number): Promise<readonly TrafficSource[]> => {
  const rpc = createRpc(url)
  const mixed = Array.from({ length: sources }, (_, index) => new Traffic(rpc, 11 + index, 3))
  // With contracts for everything that can go wrong.
  const traffics = [...mixed, new VariedTraffic(rpc, 11)]
  for (const traffic of traffics) await traffic.setUp()
  const included = async (hash: string): Promise<void> => {
    while ((await rpc('eth_getTransactionReceipt', hash)) === null) await pause(50)
  }
  // How many random ones there will be depends on the machine; of these there has to be one.
  for (const hash of (await mixed[0]?.sendFailureAndCreation()) ?? []) await included(hash)
  const numberNow = async () => Number(await rpc<string>('eth_blockNumber'))
  const end = (await numberNow()) + height
  const keepSending = async (traffic: TrafficSource): Promise<void> => {
    while ((await numberNow()) < end) await included(await traffic.send())
  }
  await Promise.all(traffics.map(keepSending))
  return traffics
}

const numberOf = async (client: IpcClient): Promise<number> => Number(await client.call('eth_blockNumber'))

/** The block under way may still be decided: the height has to stay the same for a while. */
const waitForEnd = async (node: IpcClient, gateway: IpcClient): Promise<void> => {
  const until = performance.now() + 60_000
  for (let same = 0, last = -1; same < 10; ) {
    if (performance.now() > until) throw new Error('the gateway does not come to the head of its node')
    await pause(200)
    const [head, served] = [await numberOf(node), await numberOf(gateway)]
    same = head === last && served === head ? same + 1 : 0
    last = head
  }
}

interface BlockJson {
  readonly number: string
  readonly hash: string
  readonly transactions: readonly Omit<SampleTransaction, 'nativeHash'>[]
}

const sampleOf = async (node: IpcClient, traffics: readonly TrafficSource[]): Promise<ChainExample> => {
  const blocks: SampleBlock[] = []
  const head = await numberOf(node)
  for (let number = 0; number <= head; number++) {
    const at = `0x${number.toString(16)}`
    const { hash, transactions } = await node.call<BlockJson>('eth_getBlockByNumber', at, true)
    const withNative: SampleTransaction[] = []
    for (const transaction of transactions)
      withNative.push({
        ...transaction,
        nativeHash: await node.call<string>('cosmos_getTransactionHash', transaction.hash),
      })
    blocks.push({ number, hash, transactions: withNative, rlp: await node.call('debug_getRawBlock', at) })
  }
  return {
    blocks,
    contract: traffics[0]?.contract ?? '',
    accounts: traffics.flatMap(({ addresses }) => addresses),
  }
}
