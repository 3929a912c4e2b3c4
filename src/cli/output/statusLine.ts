import { printable } from '../../base/encoding/printable.ts'
import { withoutControls } from './print.ts'
import type { ProgressOutput } from './progress.ts'
import { columnsOf } from './textMode.ts'

/** The last line of a terminal, which is written over while other lines come above it. */
export class StatusLine {
  readonly #output: ProgressOutput
  #text = ''

  constructor(output: ProgressOutput) {
    this.#output = output
  }

  /** Writes whole lines above the status. */
  write(text: string): void {
    const lines = withoutControls(text)
    this.#output.write(this.#text === '' ? lines : `\r\x1b[K${lines}${this.#text}`)
  }

  /** Sets what the line says; empty removes it. Elsewhere than on a terminal there is none. */
  set(text: string): void {
    if (this.#output.isTTY !== true) return
    // A line that wraps could not be written over.
    const next = printable(text).slice(0, columnsOf(this.#output)() - 1)
    if (next === this.#text) return
    this.#text = next
    this.#output.write(`\r\x1b[K${next}`)
  }
}
