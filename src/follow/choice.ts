/** What `--only` chooses from, by the names of tables and files. Frames of calls are chosen by `--traces`. */
export const choices = ['blocks', 'transactions', 'receipts', 'logs'] as const
export type Choice = (typeof choices)[number]

/** What of a chain is written; undefined for all. */
export type Only = readonly Choice[] | undefined

/** Whether what a table or a file has is written; `name` may be any of them. */
export const isWanted = (only: Only, name: string): boolean =>
  only === undefined || !isChoice(name) || only.includes(name)

export const isChoice = (name: string): name is Choice => (choices as readonly string[]).includes(name)

/** Returns what was chosen in the order of all. */
export const toOnly = (names: readonly Choice[]): Only => choices.filter((name) => names.includes(name))

export const isSameChoice = (one: Only, other: Only): boolean => one?.join() === other?.join()
