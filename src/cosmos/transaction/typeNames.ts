/**
 * Matches type URLs of the EVM module. Each family has the same type names in another package (`/ethermint.evm.v1.`,
 * `/cosmos.evm.vm.v1.`), and a chain that was upgraded has messages of several.
 */
const evmType = /^\/(?:[a-z][a-z0-9_]*\.)*evm\.(?:vm\.)?v\d+\.([A-Za-z]+)$/

const maxTypeUrlLength = 256

/** Returns the name of a type of the EVM module, such as `MsgEthereumTx`; undefined for a type of another module. */
export const evmTypeName = (typeUrl: string): string | undefined =>
  typeUrl.length > maxTypeUrlLength ? undefined : evmType.exec(typeUrl)?.[1]
