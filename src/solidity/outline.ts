/** A part of a source file; the offsets are bytes. */
export interface Range {
  readonly start: number
  /** The byte behind it. */
  readonly end: number
}

export interface Definition extends Range {
  readonly kind: 'function' | 'modifier' | 'constructor' | 'receive' | 'fallback' | 'variable'
  /** What people call it: its name, or what it is. */
  readonly name: string
  /** How many parameters it has. */
  readonly parameters: number
}

export interface ContractOutline extends Range {
  readonly kind: 'contract' | 'library' | 'interface'
  readonly name: string
  /** The names of the contracts that it inherits from, as they are written. */
  readonly bases: readonly string[]
  readonly definitions: readonly Definition[]
}

/** What a source file defines. */
export interface Outline {
  readonly contracts: readonly ContractOutline[]
  /** The functions outside of contracts. */
  readonly functions: readonly Definition[]
}

interface Token extends Range {
  readonly text: string
}

/** Words and single characters; comments and strings are one match each and are left out. */
const lexeme =
  /\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|[\w$]+|=>|[^\s\w$]/g

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = []
  for (const { 0: match, index } of text.matchAll(lexeme)) {
    const [first, second] = match
    if (first === '"' || first === "'" || (first === '/' && (second === '/' || second === '*'))) continue
    tokens.push({ text: match, start: index, end: index + match.length })
  }
  return tokens
}

const opening = new Set(['(', '[', '{'])
const closing = new Set([')', ']', '}'])

/** Walks over tokens. What does not end, ends with the file. */
class Walker {
  readonly #tokens: readonly Token[]
  at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  peek(ahead = 0): string | undefined {
    return this.#tokens[this.at + ahead]?.text
  }

  get start(): number {
    return this.#tokens[this.at]?.start ?? 0
  }

  /** Where the last token ended. */
  get end(): number {
    return this.#tokens[this.at - 1]?.end ?? 0
  }

  /** Goes behind the next token, and behind all that it opens. */
  skip(): void {
    let depth = 0
    do {
      const text = this.peek()
      if (text === undefined) return
      if (opening.has(text)) depth++
      if (closing.has(text)) depth--
      this.at++
    } while (depth > 0)
  }

  /** Goes to one of these tokens, over whatever is in brackets between. */
  skipTo(...texts: readonly string[]): void {
    for (let text = this.peek(); text !== undefined && !texts.includes(text); text = this.peek()) this.skip()
  }

  /** Goes behind a body, or the semicolon in its place. */
  skipBody(): void {
    this.skipTo('{', ';', '}')
    if (this.peek() !== '}') this.skip()
  }
}

/** Reads what a source file defines, whose bytes are the characters of the text. */
export const readOutline = (text: string): Outline => {
  const walker = new Walker(tokensOf(text))
  const contracts: ContractOutline[] = []
  const functions: Definition[] = []
  for (let word = walker.peek(); word !== undefined; word = walker.peek()) {
    const start = walker.start
    if (word === 'abstract') {
      walker.at++
      word = walker.peek()
    }
    if (word === 'contract' || word === 'library' || word === 'interface')
      contracts.push(readContract(walker, word, start))
    else if (word === 'function') functions.push(readFunction(walker, start))
    else walker.skip()
  }
  return { contracts, functions }
}

const readContract = (walker: Walker, kind: ContractOutline['kind'], start: number): ContractOutline => {
  const name = walker.peek(1) ?? ''
  walker.at += 2
  const bases: string[] = []
  if (walker.peek() === 'is') {
    walker.at++
    for (let text = walker.peek(); text !== undefined && text !== '{'; text = walker.peek()) {
      // The last part of a name with dots is that of the contract.
      if (/^[\w$]+$/.test(text)) {
        if (walker.peek(-1) === '.') bases.pop()
        bases.push(text)
      }
      if (text === 'layout') break
      walker.skip()
    }
  }
  walker.skipTo('{')
  walker.at++
  const definitions: Definition[] = []
  for (let text = walker.peek(); text !== undefined && text !== '}'; text = walker.peek()) {
    const definition = readDefinition(walker, text)
    if (definition !== undefined) definitions.push(definition)
  }
  walker.at++
  return { kind, name, bases: bases.filter((base) => base !== 'layout'), definitions, start, end: walker.end }
}

/** The first words of what has no code. */
const withoutCode = new Set(['struct', 'enum', 'event', 'error', 'using', 'type'])

const readDefinition = (walker: Walker, word: string): Definition | undefined => {
  const { start } = walker
  if (['function', 'modifier', 'constructor', 'receive', 'fallback'].includes(word))
    if (word !== 'function' || walker.peek(1) !== '(' || isUnnamedFunction(walker))
      return readFunction(walker, start)
  if (withoutCode.has(word)) {
    walker.skipTo('{', ';', '}')
    walker.skip()
    return undefined
  }
  return readVariable(walker, start)
}

/** Before Solidity 0.6 the fallback has no name; a variable that is a function has one behind its type. */
const isUnnamedFunction = (walker: Walker): boolean => {
  const { at } = walker
  walker.skipTo('{', ';', '=', '}')
  const found = walker.peek() === '{'
  walker.at = at
  return found
}

const readFunction = (walker: Walker, start: number): Definition => {
  const word = walker.peek() ?? ''
  const isNamed = (word === 'function' || word === 'modifier') && walker.peek(1) !== '('
  const name = isNamed ? (walker.peek(1) ?? '') : word === 'function' ? 'fallback' : word
  const kind = (isNamed ? word : name) as Definition['kind']
  walker.at += isNamed ? 2 : 1
  const parameters = walker.peek() === '(' ? countParameters(walker) : 0
  walker.skipBody()
  return { kind, name, parameters, start, end: walker.end }
}

const countParameters = (walker: Walker): number => {
  walker.at++
  let count = walker.peek() === ')' ? 0 : 1
  for (let text = walker.peek(); text !== undefined && text !== ')'; text = walker.peek()) {
    if (text === ',') count++
    walker.skip()
  }
  walker.at++
  return count
}

const readVariable = (walker: Walker, start: number): Definition | undefined => {
  let name = ''
  let isValue = false
  for (let text = walker.peek(); text !== undefined && text !== ';' && text !== '}'; text = walker.peek()) {
    if (text === '=') isValue = true
    if (!isValue && /^[\w$]+$/.test(text)) name = text
    walker.skip()
  }
  const { end } = walker
  if (walker.peek() === ';') walker.at++
  return name === '' ? undefined : { kind: 'variable', name, parameters: 0, start, end }
}
