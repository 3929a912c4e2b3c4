import type { ComponentChildren } from 'preact'
import { useWindow } from './useWindow.ts'

/** Where a cell stands in the card that a row is on a phone, in three lines. */
type Place = 'top-left' | 'top-right' | 'left' | 'middle' | 'right' | 'low-left' | 'low-middle' | 'low-right'

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** Whether it holds figures, which stand at the right. */
  readonly isNumber?: boolean
  /** Whether it is left out where there is little room. */
  readonly isMinor?: boolean
  /** In a table whose cards are to be short; in others each cell has a line after its name. */
  readonly place?: Place
  /** Whether such a card shows the name of the column too, where the cell alone does not tell what it is. */
  readonly isNamed?: boolean
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
}

const classOf = <Row,>({ isNumber, isMinor, place, isNamed }: Column<Row>): string =>
  [isNumber && 'right', isMinor && 'minor', place !== undefined && `at-${place}`, isNamed && 'named']
    .filter(Boolean)
    .join(' ')

/** Stands for rows that are not drawn. */
const Gap = ({ height, columns }: { readonly height: number; readonly columns: number }) =>
  height === 0 ? null : (
    <tr class="gap">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  )

/** A table; on a phone each row is a card. Rows that are far out of sight are not drawn, so that a thousand of them scroll. */
export const Table = <Row,>({ caption, columns, rows, keyOf }: TableProps<Row>) => {
  const { body, from, to, above, below } = useWindow(rows.length)
  const isShort = columns.some(({ place }) => place !== undefined)
  return (
    // A region that scrolls must be reachable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: for that reason
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class={isShort ? 'cards short' : 'cards'} aria-rowcount={rows.length + 1}>
        <caption class="offscreen">{caption}</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Gap height={above} columns={columns.length} />
          {rows.slice(from, to).map((row, index) => (
            <tr key={keyOf(row)} data-row aria-rowindex={from + index + 2}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)} data-label={column.name}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Gap height={below} columns={columns.length} />
        </tbody>
      </table>
    </section>
  )
}
