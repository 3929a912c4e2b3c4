import type { ComponentChildren } from 'preact'
import { useWindow } from './useWindow.ts'

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** Whether it holds figures, which stand at the right. */
  readonly isNumber?: boolean
  /** Whether it is left out where there is little room. */
  readonly isMinor?: boolean
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
}

const classOf = <Row,>({ isNumber, isMinor }: Column<Row>): string =>
  `${isNumber ? 'right' : ''} ${isMinor ? 'minor' : ''}`.trim()

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
  return (
    // A region that scrolls has to be reachable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: for that reason
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class="cards" aria-rowcount={rows.length + 1}>
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
