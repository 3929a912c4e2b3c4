import { stateSender } from '../../chain/transaction/impersonation.ts'
import type { Signer } from '../accounts/signing.ts'
import type { ApiContext } from '../context.ts'

/** The namespaces that let clients impersonate accounts. */
const devNamespaces = ['anvil', 'hardhat', 'evm']

/** Returns whether dev methods are served, so that what they set counts. */
export const servesDevMethods = ({ modules }: Pick<ApiContext, 'modules'>): boolean =>
  devNamespaces.some((namespace) => namespace in modules())

/**
 * Returns the accounts that sign for a client: those of the node and those that are impersonated. For the latter, nobody has
 * a key: the transaction states its sender in the place of the signature (see `stateSender`).
 */
export const devSigner = (context: Pick<ApiContext, 'chain' | 'accounts' | 'modules'>): Signer => {
  const { chain, accounts } = context
  const { dev } = chain
  if (dev === undefined || !servesDevMethods(context)) return accounts
  const isStated = (address: Uint8Array): boolean => !accounts.has(address) && dev.isImpersonated(address)
  return {
    has: (address) => accounts.has(address) || dev.isImpersonated(address),
    sign: (address, hash) => (isStated(address) ? stateSender(address) : accounts.sign(address, hash)),
  }
}

/** The signer of every account, which has no key. */
export const statedSender: Signer = { has: () => true, sign: stateSender }
