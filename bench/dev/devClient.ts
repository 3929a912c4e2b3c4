import { pathToFileURL } from 'node:url'
import { setUp } from '../support/chain/accounts.ts'
import { compileToken } from '../support/chain/contracts.ts'
import { encodeCall } from '../support/chain/signing.ts'
import { type Connection, call, connect } from '../support/load/connection.ts'
import { ownLibrary } from '../support/peers/ownProgram.ts'
import { chainId } from '../support/peers/program.ts'
import { startNode } from '../support/peers/runningNode.ts'
import type { Side } from '../support/run/part.ts'

/** A node for development as a test suite uses it: with its accounts, one request after the other. */
export interface DevClient {
  request<T>(method: string, ...params: readonly unknown[]): Promise<T>
  /** The CPU time of the node; that of this process too where the node is in it. */
  cpuMs(): number
}

interface Receipt {
  readonly status: string
  readonly contractAddress: string | null
}

/** Returns the peers that are made for tests. */
export const devPeers = (peers: readonly string[]): readonly string[] =>
  peers.filter((name) => ['anvil', 'hardhat', 'ganache'].includes(name))

/** What makes this program as forgetful as they are. */
export const ephemeralFlags = ['--ephemeral'] as const

/** A node of the library in this process. */
const inProcess: Side<DevClient> = {
  name: 'perihelion, in process',
  kind: 'ours',
  open: async () => {
    const { createNode } = (await import(
      pathToFileURL(ownLibrary()).href
    )) as typeof import('../../src/index.ts')
    const node = await createNode({ listen: false, settings: { chainId: BigInt(chainId) } })
    const cpuMs = (): number => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    }
    const request = async <T>(method: string, ...params: readonly unknown[]): Promise<T> =>
      (await node.provider.request({ method, params })) as T // as the method says
    return { stage: { request, cpuMs }, close: () => node.close() }
  },
}

/** A program that is asked over HTTP. */
const overHttp = (name: string, side: string, flags: readonly string[] = []): Side<DevClient> => ({
  name: side,
  kind: name === 'perihelion' ? 'ours' : 'peer',
  open: async () => {
    const node = await startNode(name, { flags })
    let connection: Connection | undefined
    const request: DevClient['request'] = async (method, ...params) => {
      // The other sides are measured meanwhile, which may take longer than a server keeps a connection.
      if (connection === undefined || connection.isClosed) connection = await connect(node.port)
      return call(connection, method, ...params)
    }
    return {
      stage: {
        request,
        cpuMs: () => node.cpuMs(),
      },
      version: node.version,
      close: async () => {
        connection?.close()
        await node.stop()
      },
    }
  },
})

/** This program in the caller's process, as a program that keeps nothing (as anvil does), and with a chain that persists. */
export const devSides = (peers: readonly string[]): readonly Side<DevClient>[] => [
  inProcess,
  overHttp('perihelion', 'perihelion', ephemeralFlags),
  overHttp('perihelion', 'perihelion, kept on disk'),
  ...devPeers(peers).map((name) => overHttp(name, name)),
]

/** Sends a transaction with an account of the node and waits for its receipt. */
export const send = async (
  { request }: DevClient,
  transaction: Readonly<Record<string, unknown>>,
): Promise<Receipt> => {
  const hash = await request<string>('eth_sendTransaction', { from: setUp.address, ...transaction })
  for (;;) {
    const receipt = await request<Receipt | null>('eth_getTransactionReceipt', hash)
    if (receipt === null) continue
    if (receipt.status !== '0x1') throw new Error('a transaction failed')
    return receipt
  }
}

/** Creates the token and returns its address. */
export const deployToken = async (client: DevClient): Promise<string> => {
  const { contractAddress } = await send(client, { data: `0x${compileToken().bytecode.object}` })
  if (contractAddress === null) throw new Error('nothing was created')
  return contractAddress
}

export const transferToken = (
  client: DevClient,
  token: string,
  to: string,
  amount: number,
): Promise<Receipt> => send(client, { to: token, data: encodeCall('transfer(address,uint256)', to, amount) })

/** Throws if an account has another balance than a test expects. */
export const expectBalance = async (
  { request }: DevClient,
  token: string,
  owner: string,
  expected: number,
): Promise<void> => {
  const question = { to: token, data: encodeCall('balanceOf(address)', owner) }
  const balance = await request<string>('eth_call', question, 'latest')
  if (BigInt(balance) !== BigInt(expected)) throw new Error(`a test saw ${balance}, not ${expected}`)
}
