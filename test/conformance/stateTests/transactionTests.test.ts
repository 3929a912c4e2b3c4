import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import type { Fork } from '../../../src/chain/config/forks.ts'
import { ethereumLimits } from '../../../src/chain/config/limits.ts'
import { decodeTransaction } from '../../../src/chain/transaction/decode.ts'
import { transactionHash } from '../../../src/chain/transaction/encode.ts'
import { recoverSender } from '../../../src/chain/transaction/signature.ts'
import { TransactionError } from '../../../src/chain/transaction/transaction.ts'
import { checkTransaction, intrinsicGas } from '../../../src/chain/transaction/transactionRules.ts'
import { parseForkName } from '../../../src/evm/stateTest/forkNames.ts'
import { ethereumTests, ethereumTestsMissing, jsonFiles } from '../officialSuites.ts'

interface Expected {
  readonly exception?: string
  readonly hash?: string
  readonly sender?: string
  readonly intrinsicGas: string
}

type TransactionTests = Record<string, { txbytes: string; result: Record<string, Expected> }>

/** All of these tests are for mainnet. */
const chainId = 1n

const judge = (bytes: Uint8Array, fork: Fork) => {
  try {
    const tx = decodeTransaction(bytes)
    checkTransaction(tx, fork, chainId, ethereumLimits)
    const sender = recoverSender(tx, fork)
    if (sender === undefined) return { error: 'signature' }
    return { hash: toHex(transactionHash(tx)), sender: toHex(sender), gas: intrinsicGas(tx, fork) }
  } catch (error) {
    if (error instanceof TransactionError) return { error: error.kind }
    throw error
  }
}

describe('TransactionTests of ethereum/tests', () => {
  const folder = ethereumTests()
  it('agree for every fork they name', (ctx) => {
    if (folder === undefined) return ctx.skip(ethereumTestsMissing)
    let cases = 0
    for (const file of jsonFiles(join(folder, 'TransactionTests'))) {
      const tests: TransactionTests = JSON.parse(readFileSync(file, 'utf8'))
      for (const [name, { txbytes, result }] of Object.entries(tests)) {
        for (const [forkName, expected] of Object.entries(result)) {
          const fork = parseForkName(forkName)
          const label = `${relative(folder, file)} ${name} ${forkName}`
          if (fork === undefined) throw new Error(`${label}: unknown fork`)
          const found = judge(fromHex(txbytes), fork)
          if (expected.exception === undefined)
            expect(found, label).toEqual({
              hash: expected.hash,
              sender: expected.sender,
              gas: BigInt(expected.intrinsicGas),
            })
          else expect(found, `${label} ${expected.exception}`).toHaveProperty('error')
          cases++
        }
      }
    }
    expect(cases).toBe(2_665)
  })
})
