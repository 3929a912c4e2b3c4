/** One thing that was looked at, and what an operator can do about it. Texts hold no secrets. */
export interface Finding {
  /** What was looked at, such as `disk`. */
  readonly check: string
  readonly level: 'ok' | 'warning' | 'problem'
  readonly text: string
  /** What to do; undefined if all is well. */
  readonly remedy?: string | undefined
}

export const ok = (check: string, text: string): Finding => ({ check, level: 'ok', text })

export const warning = (check: string, text: string, remedy: string): Finding => ({
  check,
  level: 'warning',
  text,
  remedy,
})

export const problem = (check: string, text: string, remedy: string): Finding => ({
  check,
  level: 'problem',
  text,
  remedy,
})
