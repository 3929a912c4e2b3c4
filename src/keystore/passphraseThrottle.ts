import type { Clock } from './clock.ts'
import type { AttemptGuard } from './keyFile/cipher.ts'
import { limitExceeded } from './keystoreError.ts'

/** The number of wrong passphrases without a delay, because people mistype once or twice. */
const freeGuesses = 3
const firstWaitMs = 1000
const maxWaitMs = 60_000

interface AttemptHistory {
  wrong: number
  /** A time of the monotonic clock. */
  nextAt: number
}

/** Limits guesses for each account: after a few wrong passphrases each further one doubles the delay. */
export class PassphraseThrottle {
  readonly #clock: Clock
  readonly #histories = new Map<string, AttemptHistory>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  guard(account: string): AttemptGuard {
    return {
      before: () => {
        const waitMs = (this.#histories.get(account)?.nextAt ?? 0) - this.#clock.now()
        // Even the right passphrase is rejected, because its success would reveal it.
        if (waitMs > 0)
          throw limitExceeded(
            `too many wrong passphrases for this account: try again in ${Math.ceil(waitMs / 1000)} s`,
          )
      },
      wrong: () => this.#count(account),
      right: () => this.#histories.delete(account),
    }
  }

  #count(account: string): void {
    const history = this.#histories.get(account) ?? { wrong: 0, nextAt: 0 }
    history.wrong++
    const doublings = history.wrong - freeGuesses
    if (doublings >= 0) history.nextAt = this.#clock.now() + Math.min(firstWaitMs * 2 ** doublings, maxWaitMs)
    this.#histories.set(account, history)
  }
}
