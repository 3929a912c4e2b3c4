import type { Method } from '../rpc/method.ts'
import { adminMethods } from './admin.ts'
import { cliqueMethods } from './clique.ts'
import type { ApiContext } from './context.ts'
import { cosmosMethods } from './cosmos.ts'
import { debugChainMethods } from './debug/chain.ts'
import { processMethods } from './debug/diagnostics.ts'
import { debugStateMethods } from './debug/state.ts'
import { traceChainMethods } from './debug/traceChain.ts'
import { traceMethods } from './debug/traces.ts'
import { devMethods } from './dev/methods.ts'
import { accountMethods } from './eth/accounts.ts'
import { blockMethods } from './eth/blocks.ts'
import { clientMethods } from './eth/client.ts'
import { executionMethods } from './eth/execution.ts'
import { feeMethods } from './eth/fees.ts'
import { filterMethods } from './eth/filters.ts'
import { miningMethods } from './eth/mining.ts'
import { rawTransactionMethods } from './eth/rawTransactions.ts'
import { sendingMethods } from './eth/sending.ts'
import { simulationMethods } from './eth/simulate.ts'
import { stateMethods } from './eth/state.ts'
import { subscriptionMethods } from './eth/subscriptions.ts'
import { transactionMethods } from './eth/transactions.ts'
import { uncleMethods } from './eth/uncles.ts'
import { walletMethodsOfEth } from './eth/wallet.ts'
import { minerMethods } from './miner.ts'
import { netMethods } from './net.ts'
import { perihelionMethods } from './perihelion.ts'
import { personalMethods } from './personal/personal.ts'
import { walletMethods } from './personal/wallets.ts'
import { retiredMethods } from './retired.ts'
import { rpcMethods } from './rpc.ts'
import { txpoolMethods } from './txpool.ts'
import { web3Methods } from './web3.ts'

/** Every method of the service, including those of disabled namespaces and of other profiles (see `devProfile.ts`). */
export const methods: readonly Method<ApiContext>[] = Object.freeze([
  ...web3Methods,
  ...netMethods,
  ...clientMethods,
  ...blockMethods,
  ...uncleMethods,
  ...transactionMethods,
  ...rawTransactionMethods,
  ...sendingMethods,
  ...stateMethods,
  ...executionMethods,
  ...simulationMethods,
  ...filterMethods,
  ...subscriptionMethods,
  ...feeMethods,
  ...accountMethods,
  ...walletMethodsOfEth,
  ...miningMethods,
  ...txpoolMethods,
  ...debugChainMethods,
  ...debugStateMethods,
  ...traceMethods,
  ...traceChainMethods,
  ...processMethods,
  ...personalMethods,
  ...walletMethods,
  ...minerMethods,
  ...adminMethods,
  ...cliqueMethods,
  ...devMethods,
  ...cosmosMethods,
  ...perihelionMethods,
  ...rpcMethods,
  ...retiredMethods,
])
