import { createInterface } from 'node:readline/promises'
import { printable } from '../../base/encoding/printable.ts'

/** Whether there is somebody to ask. */
export const canAsk = (): boolean => process.stdin.isTTY === true

/** Asks whoever sits at the terminal; only `y` or `yes` is a yes. */
export const confirm = async (question: string): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(printable(`${question} [y/N] `))
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
