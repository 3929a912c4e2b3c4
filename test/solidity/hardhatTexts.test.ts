import { createRequire } from 'node:module'
import { toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'
import { slow } from '../support/slow.ts'
import { compileContracts, contractOf, type Solc } from './compile.ts'

/** Failures whose cause only the source tells: Hardhat's tools get the errors that Hardhat 2.29.1's own node gives. */

const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const gas = '0x7a120'
const reverted = 'Error: Transaction reverted'
const notExecuted = `${reverted}: function call failed to execute`
const notRecognized = "function selector was not recognized and there's no fallback nor receive function"
const unpayable = 'fallback function is not payable and was called with value 1'

interface Failing {
  readonly call?: string
  readonly contract?: string
  readonly data?: string
  readonly value?: string
  readonly code?: number
  readonly message: string
}

const cases: Readonly<Record<string, Failing>> = {
  'a transfer to a contract that takes no value': {
    call: 'transferToPlain()',
    message: `${reverted}: ${notRecognized}`,
  },
  'a transfer to a fallback function that is not payable': {
    call: 'transferToUnpaid()',
    message: `${reverted}: there's no receive function, ${unpayable}`,
  },
  'a transfer of more than there is': { call: 'transferTooMuch()', message: notExecuted },
  'a send of more than there is': {
    call: 'sendTooMuch()',
    message: `${reverted} without a reason string`,
  },
  'a call that runs out of the gas that it was given': {
    call: 'callWithLittleGas()',
    message: `${reverted}: contract call run out of gas and made the transaction revert`,
  },
  'a memory without end': { call: 'hugeMemory()', code: -32000, message: 'Transaction ran out of gas' },
  'an endless loop': {
    contract: 'Plain',
    call: 'grow()',
    code: -32000,
    message: 'Transaction ran out of gas',
  },
  'value and data for a fallback function': {
    ...{ contract: 'Paid', data: '0x12345678', value: '0x1' },
    message: `${reverted}: ${unpayable}`,
  },
}

describe('a node that knows the contracts', slow, () => {
  const solc = createRequire(import.meta.url)('solc') as Solc
  const compiled = compileContracts('plain', solc, ['Refusals.sol'])
  let node: TestNode
  const deployed: Record<string, string> = {}

  beforeAll(async () => {
    node = await startTestNode('--ephemeral')
    await node.call('hardhat_addCompilationResult', compiled.version, compiled.input, compiled.output)
    for (const [name, value] of Object.entries({ Refusals: '0x64', Plain: '0x0', Paid: '0x0' })) {
      const data = `0x${contractOf(compiled, name).evm.bytecode.object}`
      const hash = await node.call('eth_sendTransaction', { from, data, value, gas: '0x2dc6c0' })
      const receipt = await node.call<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
      deployed[name] = receipt.contractAddress
    }
  })
  afterAll(() => node.close())

  test.each(Object.entries(cases))('%s', async (_, { contract, call, data, value, code, message }) => {
    const request = {
      ...{ from, to: deployed[contract ?? 'Refusals'], gas, value },
      data: call === undefined ? data : toFunctionSelector(call),
    }
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_sendTransaction']) {
      const response = await fetch(node.http, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'hardhat 2.29.1' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [request] }),
      })
      expect(await response.json(), method).toMatchObject({
        error: { code: code ?? -32603, message, data: { message, data: '0x' } },
      })
    }
  })
})
