import { fromBinary } from '@bufbuild/protobuf'
import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { fromHex } from '../../src/base/encoding/hex.ts'
import { createLogger } from '../../src/base/logging/log.ts'
import type { ChainInfo } from '../../src/cosmos/chainInfo.ts'
import { QueryAccountRequestSchema } from '../../src/cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { GatewayPool } from '../../src/gateway/sending/gatewayPool.ts'
import type { GatewayPoolOptions } from '../../src/gateway/sending/gatewayPoolOptions.ts'
import type { UpstreamClient } from '../../src/gateway/upstreams/upstreamClient.ts'
import { defaultPoolSettings } from '../../src/pool/types.ts'
import { connect, serve } from '../gateway/replay/openUpstreams.ts'
import type { Faults } from '../gateway/replay/server/injectedFaults.ts'
import { RpcError } from '../gateway/replay/server/rpc.ts'
import type { Replay } from '../gateway/replay/server/server.ts'
import { type Account, encodeAccount, FakeMempool } from './fakeMempool.ts'
import { coin, testHead } from './pool.ts'

/** Gateways that send to several nodes of one chain, each of which has faults of its own. */

const alice = privateKeyToAccount(`0x${'11'.repeat(32)}`)
export const sender = alice.address

export const signTransfer = async (nonce: number, value = 0n): Promise<Uint8Array> =>
  fromHex(
    await alice.signTransaction({
      chainId: 31_337,
      to: alice.address,
      value,
      gas: 21_000n,
      maxFeePerGas: parseGwei('10'),
      maxPriorityFeePerGas: parseGwei('1'),
      nonce,
    }),
  )

/** What a node of the chain answers instead of the truth. */
export interface Lies {
  /** Instead of sending a transaction on. It may throw an `RpcError`. */
  readonly refuse?: () => { readonly code: number; readonly codespace: string; readonly log: string }
  /** After a transaction was sent on: the error that the node answers. */
  readonly failAfter?: string
  readonly account?: (account: Account) => Account
}

const noAccount: Account = { nonce: 0n, balance: 0n }

/** A node that passes transactions on to the mempool of a chain and tells its accounts. */
const faultsOf = (chain: FakeMempool, { refuse, failAfter, account = (told) => told }: Lies): Faults => {
  const send = (tx: unknown): object => {
    if (refuse !== undefined) return refuse()
    try {
      const answer = chain.receive(Buffer.from(String(tx), 'base64'))
      if (failAfter === undefined) return answer
    } catch (error) {
      throw new RpcError(-32603, 'Internal error', (error as Error).message)
    }
    throw new RpcError(-32603, 'Internal error', failAfter)
  }
  const tell = (result: unknown, data: unknown): object => {
    const { address } = fromBinary(QueryAccountRequestSchema, Buffer.from(String(data), 'hex'))
    const value = encodeAccount(account(chain.accounts.get(address) ?? noAccount))
    const { response } = result as { response: { code: number } }
    if (response.code !== 0) return { response }
    return { response: { ...response, code: 0, value: Buffer.from(value).toString('base64') } }
  }
  return {
    alter: (method, result, { tx, path, data }) => {
      if (method === 'broadcast_tx_sync') return { ...(result as object), ...send(tx) }
      const isAccount = method === 'abci_query' && String(path).endsWith('/Account')
      return isAccount ? tell(result, data) : result
    },
  }
}

export interface SendingNodes {
  readonly chain: FakeMempool
  readonly nodes: readonly Replay[]
  readonly upstreams: UpstreamClient
  readonly logs: readonly string[]
  readonly pool: GatewayPool
  /** Makes a block and has the pool follow it. */
  block(): void
}

/** How often a node was sent a transaction. */
export const sendsTo = ({ asked }: Replay): number => asked.get('broadcast_tx_sync') ?? 0

/** Opens a pool whose accounts and sends go to nodes with these lies, or other faults. */
export const openSendingNodes = async (
  nodeLies: readonly (Lies & { readonly faults?: Faults })[],
  journalFolder: string,
  options: Pick<GatewayPoolOptions, 'times' | 'whileAway'> = {},
): Promise<SendingNodes> => {
  const chain = new FakeMempool('flood')
  chain.fund(alice.address, 1_000n * coin)
  chain.height = 10
  const nodes = await Promise.all(
    nodeLies.map(({ faults, ...lies }) => serve({ faults: { ...faultsOf(chain, lies), ...faults } })),
  )
  const { upstreams, logs } = await connect(nodes.map(({ url }) => ({ node: url })))
  const head = () => ({ ...testHead, number: BigInt(chain.height) })
  const pool = new GatewayPool(
    {
      // Sending does not use the rest.
      chainInfo: {
        family: 'ethermint',
        nativeChainId: '9001',
        // The queries of the replayed chain.
        evmPackage: 'cosmos.evm.vm.v1',
        hasAppMempool: false,
      } as ChainInfo,
      settings: defaultPoolSettings,
      journalFolder,
      ...options,
      times: { retryMs: 20, seenCacheMs: 50, ...options.times },
    },
    {
      upstream: upstreams,
      head: head(),
      locate: chain.locate,
      locateBySender: chain.locateBySender,
      log: createLogger('silent'),
    },
  )
  const block = (): void => {
    chain.produceBlock()
    pool.onHead(head())
  }
  return { chain, nodes, upstreams, logs, pool, block }
}
