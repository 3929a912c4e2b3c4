/** How a transaction that was sent and failed in its block is answered: with its hash, as by anvil, or with an error. */
type FailedSend = 'hash' | 'error'

interface ClientRule {
  /** What the User-Agent of the client begins with. */
  readonly userAgent: RegExp
  readonly failedSend: FailedSend
  /** Whether a block may not be set to the time of its parent; the methods of the namespace evm are both anvil's and Hardhat's. */
  readonly refusesEqualTimes: boolean
}

/**
 * The only place where the name of a client decides what it is answered; docs/development.md lists the rules for users. A rule
 * stands here only if two clients expect different answers to the same request.
 */
const clientRules: readonly ClientRule[] = [
  // On a network of the name `localhost` Hardhat's tools give every transaction gas, so that nothing is estimated that could
  // fail, and their matchers read the reason of a revert from the error of the send alone.
  { userAgent: /^hardhat\b/i, failedSend: 'error', refusesEqualTimes: true },
]

const ruleFor = (userAgent: string | undefined): ClientRule | undefined =>
  clientRules.find((rule) => userAgent !== undefined && rule.userAgent.test(userAgent))

/** Returns how a client expects a failed transaction to be answered. */
export const failedSendFor = (userAgent: string | undefined): FailedSend =>
  ruleFor(userAgent)?.failedSend ?? 'hash'

/** Returns whether a client expects that two blocks cannot be set to one time. */
export const refusesEqualTimes = (userAgent: string | undefined): boolean =>
  ruleFor(userAgent)?.refusesEqualTimes === true
