import type { Config } from '../../config/settings/settings.ts'

/** Returns whether stderr is for people: as the setting says, and otherwise if it is a terminal. */
export const isTextMode = ({ log }: Pick<Config, 'log'>): boolean =>
  log.format === 'text' || (log.format === 'auto' && process.stderr.isTTY === true)

/** The width of a terminal that does not tell it. */
const usualColumns = 80

export const columnsOf = (stream: NodeJS.WriteStream) => (): number => stream.columns ?? usualColumns

export const terminalColumns = columnsOf(process.stderr)
