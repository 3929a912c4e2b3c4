import type { Config } from '../../config/settings/settings.ts'

/** Returns whether stderr is for people: as the setting says, and otherwise if it is a terminal. */
export const isTextMode = ({ log }: Pick<Config, 'log'>): boolean =>
  log.format === 'text' || (log.format === 'auto' && process.stderr.isTTY === true)

/** The width of a terminal that does not tell it, or says 0. */
const usualColumns = 80

/** Returns how wide lines may be on a stream: what is not a terminal has no width, and programs read whole lines there. */
export const columnsOf = (stream: { readonly isTTY?: boolean; readonly columns?: number }) => (): number =>
  stream.isTTY === true ? stream.columns || usualColumns : Number.POSITIVE_INFINITY

export const terminalColumns = columnsOf(process.stderr)
