import { type Decoded, decodeAbi } from '../../src/base/abi/decode.ts'
import type { AbiParameter } from '../../src/base/abi/type.ts'
import { bytesToHex, hexToBytes } from '../format/hex.ts'

/** Returns the values of encoded parameters; undefined if the data does not hold them. */
export const decodeParameters = (
  parameters: readonly AbiParameter[],
  data: string,
): readonly Decoded[] | undefined => decodeAbi(parameters, hexToBytes(data), bytesToHex)
