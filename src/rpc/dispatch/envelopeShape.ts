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

/** Judges the members of one request object as they are read. */
export class EnvelopeMembers implements EnvelopeShape {
  id: string | undefined
  problem: string | undefined
  #seen = 0

  /** Counts a member; `readText` returns the text of its value. */
  add(name: string, readText: () => string): void {
    const member = members.indexOf(name)
    if (member >= 0) {
      const isDuplicate = (this.#seen & (1 << member)) !== 0
      if (isDuplicate) this.problem ??= `the member "${name}" is there twice`
      this.#seen |= 1 << member
      // If there are two ids, either may be the one that the client waits for.
      if (name === 'id') this.id = isDuplicate ? 'null' : readText()
    } else if (name === '__proto__' || members.includes(name.toLowerCase())) {
      this.problem ??= `the member ${JSON.stringify(name)} is not allowed`
    }
  }
}

/** What anything but an object shows. */
export const noEnvelope: EnvelopeShape = { id: undefined, problem: 'a call is an object' }

/** Reads the request object that is the whole text, or the next one of a batch. */
export const readEnvelope = (scanner: JsonScanner, depth: number): EnvelopeShape => {
  scanner.skipSpace()
  if (scanner.text.charCodeAt(scanner.at) !== openBrace) {
    scanner.skipValue(depth)
    return noEnvelope
  }
  const shape = new EnvelopeMembers()
  if (scanner.enter(openBrace))
    do {
      scanner.readKey()
      const name = scanner.key
      const start = scanner.at
      scanner.skipValue(depth + 1)
      shape.add(name, () => scanner.text.slice(start, scanner.at))
    } while (scanner.next(closeBrace))
  return shape
}
