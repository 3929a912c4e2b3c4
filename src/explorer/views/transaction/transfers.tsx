import { describeLog } from '../../abi/describe.ts'
import { formatUnits, group } from '../../format/numbers.ts'
import { Panel } from '../../parts/layout.tsx'
import { AddressLink } from '../../parts/link.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { TokenLink } from '../../parts/tokenLink.tsx'
import type { Hex, Log } from '../../rpc/types.ts'
import { texts } from '../../texts.ts'
import { tokenFacts, useTokens } from '../../tokens.ts'

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

const transfersOf = (log: Log): readonly Transfer[] => {
  const described = describeLog(log)
  if (described === undefined) return []
  const { item, values } = described
  const get = (name: string): unknown => values.find((value) => value.name === name)?.value
  const base = {
    key: log.logIndex,
    token: log.address,
    from: get('from') as Hex,
    to: get('to') as Hex,
    denom: log.cosmos?.denom,
  }
  if (item.name === 'Transfer' && log.topics.length === 4)
    return [{ ...base, amount: undefined, id: values[2]?.value as bigint }]
  if (item.name === 'Transfer' && log.topics.length === 3)
    return [{ ...base, amount: values[2]?.value as bigint, id: undefined }]
  if (item.name === 'TransferSingle')
    return [{ ...base, amount: get('value') as bigint, id: get('id') as bigint }]
  if (item.name !== 'TransferBatch') return []
  const ids = get('ids') as readonly { readonly value: bigint }[]
  const amounts = get('values') as readonly { readonly value: bigint }[]
  return ids.map(({ value }, index) => ({
    ...base,
    key: `${base.key}.${index}`,
    id: value,
    amount: amounts[index]?.value,
  }))
}

const isComplete = ({ from, to, amount, id }: Transfer): boolean =>
  typeof from === 'string' && typeof to === 'string' && (typeof amount === 'bigint' || typeof id === 'bigint')

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
  const transfers = logs.flatMap(transfersOf).filter(isComplete)
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
