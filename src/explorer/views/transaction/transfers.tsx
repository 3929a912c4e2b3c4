import { describeLog } from '../../abi/describe.ts'
import { formatUnits, group } from '../../format/numbers.ts'
import { Panel } from '../../parts/layout.tsx'
import { AddressLink } from '../../parts/link.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { Hex, Log } from '../../rpc/types.ts'
import { tokenFacts, useTokens } from '../../tokens.ts'

/** A transfer of a token: an amount of ERC-20, or an item of ERC-721 or ERC-1155. */
interface Transfer {
  readonly key: string
  readonly token: Hex
  readonly from: Hex
  readonly to: Hex
  readonly amount: bigint | undefined
  readonly id: bigint | undefined
}

const transfersOf = (log: Log): readonly Transfer[] => {
  const described = describeLog(log)
  if (described === undefined) return []
  const { item, values } = described
  const get = (name: string): unknown => values.find((value) => value.name === name)?.value
  const base = { key: log.logIndex, token: log.address, from: get('from') as Hex, to: get('to') as Hex }
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

const What = ({ transfer: { token, amount, id } }: { readonly transfer: Transfer }) => {
  const facts = tokenFacts(token)
  const shown =
    amount === undefined ? '' : id === undefined ? formatUnits(amount, facts?.decimals ?? 0) : group(amount)
  return (
    <span class="num">
      {shown} {id !== undefined && `#${id}`}{' '}
      {facts?.symbol !== undefined && <SafeText text={facts.symbol} max={16} />}
    </span>
  )
}

const columns: readonly Column<Transfer>[] = [
  { name: 'From', cell: ({ from }) => <AddressLink address={from} /> },
  { name: 'To', cell: ({ to }) => <AddressLink address={to} /> },
  { name: 'Amount', isNumber: true, cell: (transfer) => <What transfer={transfer} /> },
  { name: 'Token', cell: ({ token }) => <AddressLink address={token} /> },
]

/** The tokens that a transaction moved, read from its events. */
export const Transfers = ({ logs }: { readonly logs: readonly Log[] }) => {
  const transfers = logs.flatMap(transfersOf).filter(isComplete)
  useTokens(transfers.map(({ token }) => token))
  if (transfers.length === 0) return null
  return (
    <Panel title="Token transfers">
      <Table caption="Token transfers" columns={columns} rows={transfers} keyOf={({ key }) => key} />
    </Panel>
  )
}
