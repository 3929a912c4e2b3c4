import type { ComponentChildren } from 'preact'

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

/** A table. Rows that are out of sight cost the browser no drawing, so that a thousand of them scroll. */
export const Table = <Row,>({ caption, columns, rows, keyOf }: TableProps<Row>) => (
  // A region that scrolls has to be reachable with the keyboard.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: for that reason
  <section class="scroll" aria-label={caption} tabIndex={0}>
    <table>
      <caption class="offscreen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" class={classOf(column)}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.name} class={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
