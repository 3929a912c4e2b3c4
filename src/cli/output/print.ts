import { Transform, type Writable } from 'node:stream'
import { printable, printableJson } from '../../base/encoding/printable.ts'
import { ownColours } from './paint.ts'

/** Lines that a renderer made, with the colours of `paint`. It makes foreign parts `printable` itself. */
class Rendered {
  readonly text: string

  constructor(text: string) {
    this.text = withoutControls(text)
  }
}

type Value = string | number | bigint | Rendered

/**
 * The only way to standard output: print`height ${height}\n`. Values are text of others until proven otherwise: each is
 * shown in one line, without what would control the terminal. Lines and colours of our own are marked as `rendered`.
 */
export const print = (parts: TemplateStringsArray, ...values: readonly Value[]): void => {
  process.stdout.write(fill(parts, values))
}

/** The same to standard error, for people. */
export const printError = (parts: TemplateStringsArray, ...values: readonly Value[]): void => {
  process.stderr.write(fill(parts, values))
}

export const rendered = (text: string): Rendered => new Rendered(text)

/** Marks JSON, whose strings are harmless in escapes and stay the same for programs. */
export const json = (value: unknown, indent?: number): Rendered =>
  rendered(printableJson(JSON.stringify(value, undefined, indent)))

/** Returns standard output for lines of JSON: as they are for programs, with escapes on a terminal. */
export const jsonOutput = (): Writable => {
  if (process.stdout.isTTY !== true) return process.stdout
  const escaping = new Transform({
    transform: (chunk: Buffer, _, done) => done(null, printableJson(chunk.toString())),
  })
  escaping.pipe(process.stdout)
  return escaping
}

/** Returns rendered lines with nothing in them that controls the terminal but line breaks and the colours of `paint`. */
export const withoutControls = (text: string): string =>
  text
    .split(ownColours)
    .map((part, index) =>
      index % 2 === 0
        ? part
            .split('\n')
            .map((line) => printable(line))
            .join('\n')
        : part,
    )
    .join('')

const fill = (parts: TemplateStringsArray, values: readonly Value[]): string =>
  parts.reduce((text, part, index) => text + show(values[index - 1] as Value) + part)

const show = (value: Value): string => (value instanceof Rendered ? value.text : printable(String(value)))
