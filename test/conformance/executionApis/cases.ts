import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

interface Exchange {
  readonly sent: string
  readonly expected: string
}

/** One recorded conversation of the suite. */
export interface Case {
  /** `eth_call/call-contract`. */
  readonly name: string
  /** Other right answers exist: only the shape counts. */
  readonly isSpecOnly: boolean
  readonly exchanges: readonly Exchange[]
}

const parse = (name: string, text: string): Case => {
  const lines = text.split('\n').filter((line) => line !== '')
  const isSpecOnly = lines.some((line) => /^\/\/\s*speconly:/.test(line))
  const messages = lines.filter((line) => !line.startsWith('//'))
  const exchanges = messages.flatMap((line, index): Exchange[] => {
    const isRequest = line.startsWith('>> ')
    const isAnswer = line.startsWith('<< ')
    const follows = isAnswer && messages[index - 1]?.startsWith('>> ')
    if (!isRequest && !follows) throw new Error(`${name}: ${line.slice(0, 60)} has no place there`)
    return isAnswer ? [{ sent: (messages[index - 1] as string).slice(3), expected: line.slice(3) }] : []
  })
  if (exchanges.length * 2 !== messages.length) throw new Error(`${name}: a call has no answer`)
  return { name, isSpecOnly, exchanges }
}

/** All cases of the folder, in the order of their names: what is sent to the pool comes before the pool is read. */
export const readCases = (folder: string): Case[] =>
  readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isDirectory())
    .sort()
    .flatMap((method) =>
      readdirSync(join(folder, method))
        .filter((file) => file.endsWith('.io'))
        .sort()
        .map((file) =>
          parse(`${method}/${file.slice(0, -3)}`, readFileSync(join(folder, method, file), 'utf8')),
        ),
    )
