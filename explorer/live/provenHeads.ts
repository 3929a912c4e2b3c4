import { bytesToHex } from '../format/hex.ts'
import { messageOf } from '../rpc/failure.ts'
import { readProvenHead } from '../rpc/proof.ts'
import type { HeadFollower, HeadListener } from './socket.ts'

const askMs = 1_000

/** Follows proven heads, by asking: what an endpoint announces nothing proves. */
export class ProvenHeads implements HeadFollower {
  readonly #trust: string
  readonly #listener: HeadListener
  #timer: ReturnType<typeof setTimeout> | undefined
  #isRunning = false
  #isOpen = false
  #number = -1

  constructor(trust: string, listener: HeadListener) {
    this.#trust = trust
    this.#listener = listener
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#ask()
  }

  stop(): void {
    this.#isRunning = false
    clearTimeout(this.#timer)
  }

  async #ask(): Promise<void> {
    try {
      const { number, hash } = await readProvenHead(this.#trust)
      if (!this.#isOpen) this.#listener.onOpen()
      this.#isOpen = true
      if (number > this.#number) this.#listener.onHead({ number: String(number), hash: bytesToHex(hash) })
      this.#number = number
    } catch (error) {
      this.#isOpen = false
      this.#listener.onClose(messageOf(error))
    }
    if (this.#isRunning) this.#timer = setTimeout(() => void this.#ask(), askMs)
  }
}
