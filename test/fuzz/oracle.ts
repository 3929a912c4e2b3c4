import { createBlock } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, NobleBLS, NobleBN254 } from '@ethereumjs/evm'
import { Caches, MerkleStateManager } from '@ethereumjs/statemanager'
import { createTxFromRLP } from '@ethereumjs/tx'
import { Account, createAddressFromString } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { keccak256, secp256k1 } from '../../src/base/crypto/crypto.ts'
import { concatBytes } from '../../src/base/encoding/bytes.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import { toAddress, toBytes, toInteger, toWord } from '../../src/evm/stateTest/testValues.ts'
import { nobleKzg } from '../support/evm/nobleKzg.ts'
import type { FuzzCase } from './cases.ts'
import { logsHash, type Outcome, refused } from './outcome.ts'

/** A case on @ethereumjs/vm. Its hashing and recovery are ours, for speed; its precompiles are noble's. */

const customCrypto = {
  keccak256,
  ecrecover: (hash: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array, chainId?: bigint): Uint8Array => {
    const recovery = Number(v > 1n ? (chainId === undefined ? v - 27n : v - (chainId * 2n + 35n)) : v)
    const pad = (bytes: Uint8Array) => concatBytes(new Uint8Array(32 - bytes.length), bytes)
    const key = secp256k1.recover(hash, { compact: concatBytes(pad(r), pad(s)), recovery })
    if (key === undefined) throw new Error('no public key')
    return key
  },
  kzg: nobleKzg as never,
}

const commonAt = (hardfork: Hardfork): Common => new Common({ chain: Mainnet, hardfork, customCrypto })
const commons: Readonly<Record<string, Common>> = {
  cancun: commonAt(Hardfork.Cancun),
  prague: commonAt(Hardfork.Prague),
  osaka: commonAt(Hardfork.Osaka),
}

const numberedBlock = (number: number) => ({ hash: () => keccak256(Buffer.from(String(number))) })
const blockchain = {
  getBlock: async (number: number | bigint) => numberedBlock(Number(number)),
  putBlock: async () => undefined,
  shallowCopy: () => blockchain,
}

const fillState = async (state: MerkleStateManager, pre: FuzzCase['test']['pre']): Promise<void> => {
  for (const [hex, { nonce, balance, code, storage }] of Object.entries(pre)) {
    const address = createAddressFromString(toHex(toAddress(hex)))
    await state.putAccount(address, new Account(toInteger(nonce), toInteger(balance)))
    const bytes = toBytes(code)
    if (bytes.length > 0) await state.putCode(address, bytes)
    for (const [slot, value] of Object.entries(storage))
      await state.putStorage(address, toWord(slot), toBytes(value))
  }
  await state.flush()
}

const blockFor = ({ test: { env } }: FuzzCase, common: Common) =>
  createBlock(
    {
      header: {
        number: toInteger(env.currentNumber),
        timestamp: toInteger(env.currentTimestamp),
        coinbase: env.currentCoinbase as `0x${string}`,
        gasLimit: toInteger(env.currentGasLimit),
        mixHash: toWord(env.currentRandom ?? '0x0'),
        baseFeePerGas: toInteger(env.currentBaseFee ?? '0x0'),
        excessBlobGas: toInteger(env.currentExcessBlobGas ?? '0x0'),
        difficulty: 0n,
      },
    },
    { common, skipConsensusFormatValidation: true, freeze: false },
  )

export const runOnOracle = async (one: FuzzCase): Promise<Outcome> => {
  const common = commons[one.fork]
  if (common === undefined) throw new Error(`${one.fork} is not one of the newest forks`)
  // Every machine listens to its chain for good: with the listeners of the last one it would be kept in memory.
  common.events.removeAllListeners()
  const stateManager = new MerkleStateManager({ common, caches: new Caches() })
  await fillState(stateManager, one.test.pre)
  const evm = await createEVM({
    common,
    stateManager,
    blockchain: blockchain as never,
    bls: new NobleBLS(),
    bn254: new NobleBN254(),
  })
  const vm = await createVM({ common, evm, stateManager, blockchain: blockchain as never })
  const block = blockFor(one, common)
  let result: Awaited<ReturnType<typeof runTx>>
  try {
    const tx = createTxFromRLP(encodeTransaction(one.transaction), { common })
    result = await runTx(vm, { tx, block, skipHardForkValidation: true })
  } catch {
    return refused
  }
  const { execResult } = result
  const success = execResult.exceptionError === undefined
  return {
    valid: true,
    success,
    gasUsed: result.totalGasSpent.toString(),
    // Of a creation: the deployed code.
    output: toHex(execResult.returnValue),
    logs: logsHash((execResult.logs ?? []) as [Uint8Array, Uint8Array[], Uint8Array][]),
    stateRoot: toHex(await stateManager.getStateRoot()),
  }
}
