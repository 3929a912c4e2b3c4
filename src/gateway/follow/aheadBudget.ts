import type { NativeBlock } from '../../comet/data/nativeBlock.ts'

/** What a transaction takes in memory beside its bytes, and parsed results for each byte of their text, about. */
const bytesPerTransaction = 256
const bytesPerResultsByte = 4

/** Returns about what a parsed block takes in memory. A node can tell a million transactions of one byte. */
export const blockBytes = ({ transactions }: NativeBlock): number =>
  transactions.reduce((sum, { length }) => sum + length + bytesPerTransaction, 0)

/** Returns about what parsed results take in memory. */
export const resultsBytes = (textBytes: number): number => bytesPerResultsByte * textBytes

/**
 * The memory for replies that came before their turn and are not verified. What has no room is dropped and
 * requested again when its turn comes; what is waited for always has room.
 */
export class AheadBudget {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Opens the place of a height that is requested ahead. */
  open(): AheadPlace {
    return new AheadPlace({
      take: (bytes, isAwaited) => {
        if (!isAwaited && bytes > this.#left) return false
        this.#left -= bytes
        return true
      },
      give: (bytes) => {
        this.#left += bytes
      },
    })
  }
}

interface Account {
  readonly take: (bytes: number, isAwaited: boolean) => boolean
  readonly give: (bytes: number) => void
}

/** What is kept of one height until its turn is over. */
export class AheadPlace {
  readonly #account: Account
  #bytes = 0
  #isAwaited = false
  #isOver = false

  constructor(account: Account) {
    this.#account = account
  }

  /** Takes note that it is the turn of this height. */
  await(): void {
    this.#isAwaited = true
  }

  /** Returns a reply if there is room for it. */
  keep<Reply>(reply: Reply, bytes: number): Reply | undefined {
    if (this.#isOver || !this.#account.take(bytes, this.#isAwaited)) return undefined
    this.#bytes += bytes
    return reply
  }

  /** Gives its room to others. */
  end(): void {
    this.#isOver = true
    this.#account.give(this.#bytes)
    this.#bytes = 0
  }
}
