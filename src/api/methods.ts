import type { Method } from '../rpc/method.ts'
import type { ApiContext } from './context.ts'
import { netMethods } from './net.ts'
import { rpcMethods } from './rpc.ts'
import { web3Methods } from './web3.ts'

/** Every method of the service, whatever is enabled. */
export const methods: readonly Method<ApiContext>[] = [...web3Methods, ...netMethods, ...rpcMethods]
