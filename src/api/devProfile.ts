import { walletMethodsOfEth } from './eth/wallet.ts'
import { passBelowFork } from './fork/passToRemote.ts'
import type { ApiMethod } from './method.ts'
import { methods } from './methods.ts'

/** The methods that there are in the dev profile alone. */
const devOnly = new Set(walletMethodsOfEth.map(({ name }) => name))

/**
 * Returns the methods of a profile. In the dev profile the accounts are unlocked, so that `personal_sign`, which wallets
 * have too, is for whoever may sign with them. The chain may be forked from a remote one, which answers for what is below.
 */
export const methodsOfProfile = (isDev: boolean): readonly ApiMethod[] =>
  isDev
    ? methods.map((method) =>
        method.name === 'personal_sign' ? { ...method, access: 'signing' } : passBelowFork(method),
      )
    : methods.filter(({ name }) => !devOnly.has(name))
