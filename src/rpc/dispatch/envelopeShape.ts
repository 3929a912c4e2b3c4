import { closeBrace, openBrace } from '../../base/json/jsonCodes.ts'
import type { JsonScanner } from '../../base/json/jsonScanner.ts'

/** What the text of one request object shows and its parsed value does not. */
export interface EnvelopeShape {
  /** The id exactly as it was sent; undefined for a notification. */
  readonly id: string | undefined
  /** The reason why the object is not a valid request, judged by its member names. */
  readonly problem: string | undefined
}

const members = ['jsonrpc', 'id', 'method', 'params']

/** Reads the request object that is the whole text, or the next one of a batch. */
export const readEnvelope = (scanner: JsonScanner, depth: number): EnvelopeShape => {
  scanner.skipSpace()
  if (scanner.text.charCodeAt(scanner.at) !== openBrace) {
    scanner.skipValue(depth)
    return { id: undefined, problem: 'a call is an object' }
  }
  let id: string | undefined
  let problem: string | undefined
  let seen = 0
  if (scanner.enter(openBrace))
    do {
      scanner.readKey()
      const name = scanner.key
      const start = scanner.at
      scanner.skipValue(depth + 1)
      const member = members.indexOf(name)
      if (member >= 0) {
        const isDuplicate = (seen & (1 << member)) !== 0
        if (isDuplicate) problem ??= `the member "${name}" is there twice`
        seen |= 1 << member
        // If there are two ids, either may be the one that the client waits for.
        if (name === 'id') id = isDuplicate ? 'null' : scanner.text.slice(start, scanner.at)
      } else if (name === '__proto__' || members.includes(name.toLowerCase())) {
        problem ??= `the member ${JSON.stringify(name)} is not allowed`
      }
    } while (scanner.next(closeBrace))
  return { id, problem }
}
