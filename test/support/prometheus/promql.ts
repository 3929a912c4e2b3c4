import type { Labels, Sample, Scrape } from './exposition.ts'

/**
 * The part of PromQL that the alerts use, with the rules of vector matching: an expression that Prometheus would refuse, or
 * whose sides would never match, does not pass here either.
 */

type Vector = readonly { readonly labels: Labels; readonly value: number }[]
type Value =
  | { readonly kind: 'scalar'; readonly value: number }
  | { readonly kind: 'vector'; readonly items: Vector }
interface Matching {
  readonly kind: 'on' | 'ignoring'
  readonly names: readonly string[]
  /** Whether many on the right match one on the left (`group_right`). */
  readonly hasManyRight: boolean
}

const tokenPattern =
  /\s*(?:(\d+(?:\.\d+)?(?![\w.]))|("(?:[^"\\]|\\.)*")|([a-zA-Z_:][\w:]*)|(\[\d+[smh]\])|(==|!=|>=|<=|=~|!~|[-+*/()<>{},=]))/y

const tokenize = (text: string): readonly string[] => {
  const tokens: string[] = []
  tokenPattern.lastIndex = 0
  while (text.slice(tokenPattern.lastIndex).trim() !== '') {
    const at = tokenPattern.lastIndex
    const found = tokenPattern.exec(text)
    if (found === null) throw new Error(`cannot be read: ${text.slice(at)}`)
    tokens.push(found[0].trim())
  }
  return tokens
}

const seconds = { s: 1, m: 60, h: 3600 } as const
const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
}
const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}
const levels = [['or'], ['and', 'unless'], Object.keys(comparisons), ['+', '-'], ['*', '/']] as const

const keyOf = (labels: Labels, matching: Matching | undefined): string =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([name]) =>
        matching === undefined ? true : matching.names.includes(name) === (matching.kind === 'on'),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

class Evaluation {
  readonly #tokens: readonly string[]
  readonly #scrapes: readonly Scrape[]
  #at = 0

  constructor(text: string, scrapes: readonly Scrape[]) {
    this.#tokens = tokenize(text)
    this.#scrapes = scrapes
  }

  run(): Value {
    const value = this.#binary(0)
    if (this.#at < this.#tokens.length) throw new Error(`unexpected ${this.#tokens[this.#at]}`)
    return value
  }

  /** A method and no getter, so that the compiler does not take it for the same value each time. */
  #peek(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #take(wanted?: string): string {
    const token = this.#peek()
    if (token === '' || (wanted !== undefined && token !== wanted))
      throw new Error(`got ${token}, wanted ${wanted ?? 'more'}`)
    this.#at++
    return token
  }

  #binary(level: number): Value {
    const operators: readonly string[] | undefined = levels[level]
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    while (operators.includes(this.#peek())) {
      const operator = this.#take()
      const matching = this.#matching()
      left = combine(operator, left, this.#binary(level + 1), matching)
    }
    return left
  }

  #matching(): Matching | undefined {
    if (this.#peek() !== 'on' && this.#peek() !== 'ignoring') return undefined
    const kind = this.#take() as Matching['kind']
    const names = this.#names()
    const hasManyRight = this.#peek() === 'group_right'
    if (hasManyRight) this.#take()
    return { kind, names, hasManyRight }
  }

  #names(): readonly string[] {
    const names: string[] = []
    this.#take('(')
    while (this.#peek() !== ')') if (this.#take() !== ',') names.push(this.#tokens[this.#at - 1] as string)
    this.#take(')')
    return names
  }

  #unary(): Value {
    const token = this.#take()
    if (/^\d/.test(token)) return { kind: 'scalar', value: Number(token) }
    if (token === '(') {
      const value = this.#binary(0)
      this.#take(')')
      return value
    }
    if (this.#peek() === 'by') {
      this.#take()
      return this.#call(token, this.#names())
    }
    return this.#peek() === '('
      ? this.#call(token, [])
      : { kind: 'vector', items: this.#select(token, this.#newest()) }
  }

  #newest(): readonly Sample[] {
    return this.#scrapes.at(-1)?.samples ?? []
  }

  #call(name: string, by: readonly string[]): Value {
    this.#take('(')
    if (name === 'time') {
      this.#take(')')
      return { kind: 'scalar', value: this.#scrapes.at(-1)?.at ?? 0 }
    }
    if (name === 'rate' || name === 'increase') return this.#rise(name)
    const value = this.#binary(0)
    this.#take(')')
    if (value.kind !== 'vector') throw new Error(`${name} takes a vector`)
    const values = value.items.map((item) => item.value)
    const reduced = (reduce: (values: readonly number[]) => number): Value => {
      const matching: Matching = { kind: 'on', names: by, hasManyRight: false }
      const groups = new Map<string, number[]>()
      for (const { labels, value: one } of value.items) {
        const key = keyOf(labels, matching)
        groups.set(key, [...(groups.get(key) ?? []), one])
      }
      return {
        kind: 'vector',
        items: [...groups].map(([key, all]) => ({
          labels: Object.fromEntries(JSON.parse(key)),
          value: reduce(all),
        })),
      }
    }
    switch (name) {
      case 'abs':
        return {
          kind: 'vector',
          items: value.items.map((item) => ({ ...item, value: Math.abs(item.value) })),
        }
      case 'scalar':
        return { kind: 'scalar', value: values.length === 1 ? (values[0] as number) : Number.NaN }
      case 'max':
        return reduced((all) => Math.max(...all))
      case 'min':
        return reduced((all) => Math.min(...all))
      case 'sum':
        return reduced((all) => all.reduce((a, b) => a + b, 0))
      default:
        throw new Error(`no function ${name}`)
    }
  }

  /** The rise of counters over a range: of a series that is new in it nothing is known from before. */
  #rise(name: 'rate' | 'increase'): Value {
    const metric = this.#take()
    const start = this.#at
    const until = this.#scrapes.at(-1)?.at ?? 0
    this.#select(metric, [])
    const range = /^\[(\d+)([smh])\]$/.exec(this.#take())
    if (range === null) throw new Error(`${name} takes a range`)
    const span = Number(range[1]) * seconds[range[2] as keyof typeof seconds]
    const end = this.#at
    const within = this.#scrapes.filter(({ at }) => at >= until - span)
    const values = new Map<string, { labels: Labels; first: number; last: number; count: number }>()
    for (const { samples } of within) {
      this.#at = start
      for (const { labels, value } of this.#select(metric, samples)) {
        const found = values.get(keyOf(labels, undefined)) ?? { labels, first: value, last: value, count: 0 }
        values.set(keyOf(labels, undefined), { ...found, last: value, count: found.count + 1 })
      }
    }
    this.#at = end
    this.#take(')')
    const items = [...values.values()]
      .filter(({ count }) => count > 1)
      .map(({ labels, first, last }) => ({ labels, value: (last - first) / (name === 'rate' ? span : 1) }))
    return { kind: 'vector', items }
  }

  #select(name: string, samples: readonly Sample[]): Vector {
    let found = samples.filter((sample) => sample.name === name)
    if (this.#peek() === '{') {
      this.#take()
      while (this.#peek() !== '}') {
        const label = this.#take()
        if (label === ',') continue
        const operator = this.#take()
        const wanted: string = JSON.parse(this.#take())
        found = found.filter(({ labels }) => matches(labels[label] ?? '', operator, wanted))
      }
      this.#take('}')
    }
    return found.map(({ labels, value }) => ({ labels, value }))
  }
}

const matches = (value: string, operator: string, wanted: string): boolean => {
  const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${wanted})$`).test(value) : value === wanted
  return isEqual === !operator.startsWith('!')
}

const combine = (operator: string, left: Value, right: Value, matching: Matching | undefined): Value => {
  if (left.kind === 'vector' && right.kind === 'vector')
    return { kind: 'vector', items: combineVectors(operator, left.items, right.items, matching) }
  if (matching !== undefined) throw new Error('vector matching is allowed between vectors only')
  const compare = comparisons[operator]
  const compute = arithmetic[operator]
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    if (compute === undefined) throw new Error(`${operator} between numbers`)
    return { kind: 'scalar', value: compute(left.value, right.value) }
  }
  const items = (left.kind === 'vector' ? left.items : right.kind === 'vector' ? right.items : []).flatMap(
    (item) => {
      const a = left.kind === 'scalar' ? left.value : item.value
      const b = right.kind === 'scalar' ? right.value : item.value
      if (compare !== undefined) return compare(a, b) ? [item] : []
      if (compute === undefined) throw new Error(`${operator} needs vectors`)
      return [{ labels: item.labels, value: compute(a, b) }]
    },
  )
  return { kind: 'vector', items }
}

const combineVectors = (operator: string, left: Vector, right: Vector, matching?: Matching): Vector => {
  if (matching?.hasManyRight) {
    const compute = arithmetic[operator]
    if (compute === undefined) throw new Error(`${operator} with group_right is not read here`)
    const ones = new Map(left.map((item) => [keyOf(item.labels, matching), item.value]))
    if (ones.size < left.length) throw new Error('many match on the left of group_right')
    return right.flatMap(({ labels, value }) => {
      const one = ones.get(keyOf(labels, matching))
      return one === undefined ? [] : [{ labels, value: compute(one, value) }]
    })
  }
  const byKey = new Map(right.map((item) => [keyOf(item.labels, matching), item]))
  if (operator === 'and') return left.filter(({ labels }) => byKey.has(keyOf(labels, matching)))
  if (operator === 'unless') return left.filter(({ labels }) => !byKey.has(keyOf(labels, matching)))
  if (operator === 'or') {
    const known = new Set(left.map(({ labels }) => keyOf(labels, matching)))
    return [...left, ...right.filter(({ labels }) => !known.has(keyOf(labels, matching)))]
  }
  const compare = comparisons[operator]
  const compute = arithmetic[operator] as (a: number, b: number) => number // the only operators left
  return left.flatMap((item) => {
    const other = byKey.get(keyOf(item.labels, matching))
    if (other === undefined) return []
    if (compare !== undefined) return compare(item.value, other.value) ? [item] : []
    return [{ labels: item.labels, value: compute(item.value, other.value) }]
  })
}

/** Returns what an expression gives at the time of the last of some scrapes; empty if it does not fire. */
export const evaluate = (expression: string, scrapes: readonly Scrape[]): Vector => {
  const value = new Evaluation(expression, scrapes).run()
  if (value.kind === 'scalar') throw new Error('an alert is a vector')
  return value.items
}

/** Returns the names of the metrics in an expression. */
export const metricsOf = (expression: string): readonly string[] =>
  tokenize(expression).filter(
    (token) => (/^[a-z]\w*_\w+$/.test(token) && token !== 'group_right') || token === 'up',
  )
