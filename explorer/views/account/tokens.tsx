import { parseType } from '../../../src/base/abi/type.ts'
import { decodeParameters } from '../../abi/decode.ts'
import { tokenFacts, useTokens } from '../../abi/tokens.ts'
import { formatUnits, group, toQuantity } from '../../format/numbers.ts'
import { trustText } from '../../rpc/proof.ts'
import { head } from '../../live/live.ts'
import { useCall } from '../../live/useCall.ts'
import { Empty, Loaded } from '../../parts/layout.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { TokenLink } from '../../parts/tokenLink.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex, Log } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

/** The event Transfer of ERC-20 and ERC-721. */
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Blocks in which tokens are looked for, and the most tokens that are asked for a balance. */
const span = 100_000
/** The most that proofs are given for at once. */
const provenSpan = 4_999
const maxTokens = 100

interface Held {
  readonly token: Hex
  readonly balance: bigint | undefined
}

const loadTokens = async (address: Hex): Promise<readonly Held[]> => {
  const topic = `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
  const fromBlock = toQuantity(
    Math.max(0, (head.get() ?? 0) - (trustText() === undefined ? span : provenSpan)),
  )
  const [received, sent] = await Promise.all(
    [
      [transfer, null, topic],
      [transfer, topic],
    ].map((topics) => call<readonly Log[]>('eth_getLogs', { fromBlock, toBlock: 'latest', topics })),
  )
  const tokens = [...new Set([...(received ?? []), ...(sent ?? [])].map((log) => log.address))].slice(
    0,
    maxTokens,
  )
  const type = parseType('uint256')
  return Promise.all(
    tokens.map(async (token) => {
      const data = await call<Hex>(
        'eth_call',
        { to: token, data: `0x70a08231${topic.slice(2)}` },
        'latest',
      ).catch(() => '0x')
      const value = type && decodeParameters([{ name: '', type, indexed: false }], data)?.[0]?.value
      return { token, balance: typeof value === 'bigint' ? value : undefined }
    }),
  )
}

const columns: readonly Column<Held>[] = [
  { name: texts.names.token, cell: ({ token }) => <TokenLink token={token} /> },
  {
    name: texts.names.balance,
    isNumber: true,
    cell: ({ token, balance }) => (
      <span class="num break">
        {balance === undefined ? '–' : formatUnits(balance, tokenFacts(token)?.decimals ?? 0)}{' '}
        <SafeText text={tokenFacts(token)?.symbol ?? ''} max={16} />
      </span>
    ),
  },
]

/** The tokens whose transfers name the account. */
export const Tokens = ({ address }: { readonly address: Hex }) => {
  const state = useCall(() => loadTokens(address), [address])
  useTokens((state.data ?? []).map(({ token }) => token))
  return (
    <Loaded state={state}>
      {(held) =>
        held.length === 0 ? (
          <Empty>{texts.account.noTokens(group(span))}</Empty>
        ) : (
          <Table
            caption={texts.account.held(address)}
            columns={columns}
            rows={held}
            keyOf={({ token }) => token}
          />
        )
      }
    </Loaded>
  )
}
