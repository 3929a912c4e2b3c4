import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../explorer', import.meta.url))

/** A node of the tree of the syntax, of which only what is needed here has a name. */
interface Node {
  readonly type: string
  readonly start: number
  readonly operator?: string
  readonly value?: unknown
  readonly name?: { readonly name?: string }
  readonly key?: { readonly name?: string }
}

/** Attributes and members that nobody reads. */
const unread = new Set([
  'class',
  'd',
  'viewBox',
  'key',
  'style',
  'accept',
  'transform',
  'font',
  'preserveAspectRatio',
])

/** What looks like words and is for the browser. */
const machine = new Set(['(prefers-color-scheme: dark)', 'main tbody tr', 'Content-Type', 'RpcFailure'])

/** Words with a capital or with a space beside them are for people; names of methods, events and classes are not. */
const isForPeople = (text: string): boolean =>
  /[a-z]{2}/i.test(text) &&
  !machine.has(text) &&
  (/^\s*[A-Z][a-z]/.test(text) || /[a-z,.:;] +[a-z(]|[a-z] $|^ [a-z]/i.test(text))

const skips = ({ type, operator, name, key }: Node): boolean =>
  /^(?:Import|TS)/.test(type) ||
  type === 'ThrowStatement' ||
  // What is compared with is not text.
  (type === 'BinaryExpression' && /^[!=]==$/.test(operator ?? '')) ||
  (type === 'JSXAttribute' && unread.has(name?.name ?? '')) ||
  (type === 'Property' && unread.has(key?.name ?? ''))

const textOf = ({ type, value }: Node): string | undefined => {
  if (type === 'JSXText') return /[a-z]{2}/i.test(String(value)) ? String(value) : undefined
  const text = type === 'TemplateElement' ? (value as { readonly cooked?: string }).cooked : value
  if (type !== 'Literal' && type !== 'TemplateElement') return undefined
  return typeof text === 'string' && isForPeople(text) ? text : undefined
}

/** The texts of a file that a reader of the page would see, with their places. */
const textsIn = (name: string, source: string): readonly string[] => {
  const found: string[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    if (typeof node.type === 'string') {
      if (skips(node)) return
      const text = textOf(node)
      const line = source.slice(0, node.start).split('\n').length
      if (text !== undefined) found.push(`${name}:${line}: ${text.trim()}`)
    }
    Object.values(node).forEach(visit)
  }
  visit(parseSync(name, source).program)
  return found
}

/** Tests, the table itself, signatures of Solidity and code that is copied to other programs. */
const elsewhere = /\.test\.ts$|^texts[./]|^abi\/known\.ts$|^views\/console\/snippets\.ts$/

test('finds a text in a view', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a view
  const view = 'const A = () => <p class="two words" title="More">No {count} blocks<b>{`at ${b}`}</b></p>'
  expect(textsIn('a.tsx', view)).toEqual(['a.tsx:1: More', 'a.tsx:1: No', 'a.tsx:1: blocks', 'a.tsx:1: at'])
  expect(textsIn('b.tsx', "const b = <p class={x === 'Two words' ? 'a b' : ''}>{texts.more}</p>")).toEqual([])
})

test('every text of the page is in its table', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !elsewhere.test(name),
  )
  expect(files.length).toBeGreaterThan(30)
  expect(files.flatMap((name) => textsIn(name, readFileSync(join(root, name), 'utf8')))).toEqual([])
})
