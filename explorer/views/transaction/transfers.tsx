import type { Decoded } from '../../../src/base/abi/decode.ts'
import { signatureOf } from '../../../src/base/abi/item.ts'
import { describeLog } from '../../abi/describe.ts'
import { tokenFacts, useTokens } from '../../abi/tokens.ts'
import { formatUnits, group } from '../../format/numbers.ts'
import { Panel } from '../../parts/layout.tsx'
import { AddressLink } from '../../parts/link.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { TokenLink } from '../../parts/tokenLink.tsx'
import type { Hex, Log } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

/** A transfer of a token: an amount of ERC-20, or an item of ERC-721 or ERC-1155. */
interface Transfer {
  readonly key: string
  readonly token: Hex
  readonly from: Hex
  readonly to: Hex
  readonly amount: bigint | undefined
  readonly id: bigint | undefined
  /** The denomination of a token of the bank, which has no contract to ask. */
  readonly denom?: string | undefined
}

/** The numbers of a list; none if it is not a list, as where it is a topic, which has only its hash. */
const numbersOf = (value: Decoded['value'] | undefined): readonly unknown[] =>
  Array.isArray(value) ? value.map((one: Decoded) => one.value) : []

/** From whom, to whom, how much and which items an event says that it moved. */
const movesOf = (log: Log): readonly (readonly [unknown, unknown, unknown, unknown])[] => {
  const described = describeLog(log)
  if (described === undefined) return []
  // Where they stand is what the signature says; their names are whatever the ABI calls them.
  const [first, second, third, fourth, fifth] = described.values.map(({ value }) => value)
  const signature = signatureOf(described.item)
  if (signature === 'Transfer(address,address,uint256)') {
    if (log.topics.length === 4) return [[first, second, undefined, third]]
    return log.topics.length === 3 ? [[first, second, third, undefined]] : []
  }
  // The first of these is who did it.
  if (signature === 'TransferSingle(address,address,address,uint256,uint256)')
    return [[second, third, fifth, fourth]]
  if (signature !== 'TransferBatch(address,address,address,uint256[],uint256[])') return []
  const amounts = numbersOf(fifth)
  return numbersOf(fourth).map((id, index) => [second, third, amounts[index], id])
}

const isComplete = ({ from, to, amount, id }: Transfer): boolean =>
  typeof from === 'string' && typeof to === 'string' && (typeof amount === 'bigint' || typeof id === 'bigint')

export const transfersOf = (log: Log): readonly Transfer[] =>
  movesOf(log)
    .map(
      ([from, to, amount, id], index): Transfer => ({
        key: `${log.logIndex}.${index}`,
        token: log.address,
        // Sound, since those that are something else are left out below.
        from: from as Hex,
        to: to as Hex,
        amount: amount as bigint | undefined,
        id: id as bigint | undefined,
        denom: log.cosmos?.denom,
      }),
    )
    .filter(isComplete)

const What = ({ transfer: { token, amount, id, denom } }: { readonly transfer: Transfer }) => {
  const facts = denom === undefined ? tokenFacts(token) : { symbol: denom, decimals: 0 }
  const shown =
    amount === undefined ? '' : id === undefined ? formatUnits(amount, facts?.decimals ?? 0) : group(amount)
  return (
    <span class="num break">
      {shown} {id !== undefined && `#${id}`}{' '}
      {facts?.symbol !== undefined && <SafeText text={facts.symbol} max={16} />}
    </span>
  )
}

/** Tokens come from the address zero when they are made, and go there at their end. */
const nobody = /^0x0{40}$/

const Party = ({ address, zero }: { readonly address: Hex; readonly zero: string }) =>
  nobody.test(address) ? <span class="muted">{zero}</span> : <AddressLink address={address} />

const columns: readonly Column<Transfer>[] = [
  { name: texts.names.from, cell: ({ from }) => <Party address={from} zero={texts.transaction.minted} /> },
  { name: texts.names.to, cell: ({ to }) => <Party address={to} zero={texts.transaction.burnt} /> },
  { name: texts.transaction.amount, isNumber: true, cell: (transfer) => <What transfer={transfer} /> },
  { name: texts.names.token, cell: ({ token }) => <TokenLink token={token} /> },
]

/** The tokens that a transaction moved, read from its events. */
export const Transfers = ({ logs }: { readonly logs: readonly Log[] }) => {
  const transfers = logs.flatMap(transfersOf)
  useTokens(transfers.filter(({ denom }) => denom === undefined).map(({ token }) => token))
  if (transfers.length === 0) return null
  return (
    <Panel title={texts.transaction.transfers}>
      <Table
        caption={texts.transaction.transfers}
        columns={columns}
        rows={transfers}
        keyOf={({ key }) => key}
      />
    </Panel>
  )
}
