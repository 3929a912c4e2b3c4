import { toNumber } from '../format/numbers.ts'
import type { Hex, Receipt, Transaction } from '../rpc/types.ts'
import { texts } from '../texts/texts.ts'
import { Amount } from './amount.tsx'
import { AddressLink, BlockLink, TransactionLink } from './link.tsx'
import { Method } from './method.tsx'
import { FailedSign } from './status.tsx'
import { type Column, Table } from './table.tsx'
import { Age } from './time.tsx'

export interface TransactionRow {
  readonly transaction: Transaction
  readonly receipt?: Pick<Receipt, 'status' | 'contractAddress'> | undefined
  readonly time?: number | undefined
}

interface TransactionTableProps {
  readonly caption: string
  readonly rows: readonly TransactionRow[]
  /** The account whose table it is: transactions are then in or out. */
  readonly of?: Hex
  readonly hasBlock?: boolean
}

/** Whom a transaction is for: the contract that it made, where it made one. */
const Target = ({ to, created }: { readonly to: Hex | null; readonly created: Hex | null | undefined }) => {
  if (to !== null) return <AddressLink address={to} />
  if (created == null) return <span class="muted">{texts.contractCreation}</span>
  return (
    <span class="created">
      <AddressLink address={created} />
      <span class="way">{texts.newContract}</span>
    </span>
  )
}

const directionOf = (of: Hex, { from, to }: Transaction): keyof typeof texts.ways =>
  from.toLowerCase() !== of.toLowerCase() ? 'in' : to?.toLowerCase() === of.toLowerCase() ? 'self' : 'out'

export const TransactionTable = ({ caption, rows, of, hasBlock }: TransactionTableProps) => {
  const all: readonly (Column<TransactionRow> | false)[] = [
    {
      name: texts.names.transaction,
      place: 'top-left',
      cell: ({ transaction, receipt }) => (
        <>
          <FailedSign receipt={receipt} />
          <TransactionLink hash={transaction.hash} />
        </>
      ),
    },
    {
      name: texts.names.call,
      place: 'low-left',
      cell: ({ transaction }) => <Method transaction={transaction} characters={22} />,
    },
    hasBlock === true && {
      name: texts.names.block,
      place: 'low-middle',
      isNamed: true,
      cell: ({ transaction: { blockNumber } }) =>
        blockNumber === null ? (
          <span class="muted">{texts.pending}</span>
        ) : (
          <BlockLink number={toNumber(blockNumber)} />
        ),
    },
    hasBlock === true && {
      name: texts.names.age,
      place: 'top-right',
      cell: ({ time }) => (time === undefined ? '' : <Age time={time} />),
    },
    {
      name: texts.names.from,
      place: 'left',
      cell: ({ transaction: { from } }) => <AddressLink address={from} />,
    },
    of !== undefined && {
      name: texts.names.way,
      place: 'middle',
      cell: ({ transaction }) => (
        <span class={`way ${directionOf(of, transaction)}`}>{texts.ways[directionOf(of, transaction)]}</span>
      ),
    },
    {
      name: texts.names.to,
      place: 'right',
      cell: ({ transaction: { to }, receipt }) => <Target to={to} created={receipt?.contractAddress} />,
    },
    {
      name: texts.names.value,
      isNumber: true,
      place: 'low-right',
      cell: ({ transaction: { value } }) => <Amount wei={value} />,
    },
  ]
  const columns = all.filter((column) => column !== false)
  return (
    <Table caption={caption} columns={columns} rows={rows} keyOf={({ transaction }) => transaction.hash} />
  )
}
