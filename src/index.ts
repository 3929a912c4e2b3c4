// The library. Everything that another program may rely on is named here, and nothing else is.
export type { ApiContext } from './api/context.ts'
export { method } from './api/method.ts'
export { Flag, Text } from './api/wire/basic.ts'
export { Address, Data, Hash } from './api/wire/data.ts'
export { Quantity, Uint64 } from './api/wire/quantity.ts'
export type { Chain } from './chain/port/chain.ts'
export { errorCodes, RpcError } from './rpc/errors.ts'
export { type Method, optionalParam, param } from './rpc/method.ts'
export { plainType, type WireType } from './rpc/wireType.ts'
export { createGateway, type GatewayOptions } from './service/library/createGateway.ts'
export { createNode, type NodeOptions } from './service/library/createNode.ts'
export type { EmbeddedNode, LibraryOptions, ListeningNode } from './service/library/libraryTypes.ts'
export type { MethodTypes } from './service/rpc/gen/methodTypes.ts'
export type {
  Provider,
  ProviderMessage,
  RequestArguments,
  RequestResult,
} from './service/rpc/providerTypes.ts'
