import { describe, expect, test } from 'vitest'
import { SenderTransaction, Transaction, UnfilledTransaction } from './transactionRequest.ts'

const address = `0x${'33'.repeat(20)}`
const addressBytes = new Uint8Array(20).fill(0x33)
const word = `0x${'44'.repeat(32)}`
const wordBytes = new Uint8Array(32).fill(0x44)

const complaint = (request: unknown) => Transaction.schema.safeParse(request).error?.issues[0]

describe('transaction requests', () => {
  test('every member is optional, null is missing, and what nobody knows is ignored', () => {
    expect(Transaction.schema.parse({})).toEqual({})
    expect(Transaction.schema.parse({ to: null, data: null, gasLimit: null, extra: 1 })).toEqual({})
  })

  test('all members are decoded', () => {
    const request = {
      from: address,
      to: address,
      gas: '0x5208',
      gasPrice: '0x1',
      maxFeePerGas: '0x2',
      maxPriorityFeePerGas: '0x3',
      value: '0x4',
      nonce: '0x5',
      data: '0x0102',
      accessList: [{ address, storageKeys: [word] }],
      chainId: '0x7a69',
      type: 2,
      maxFeePerBlobGas: '0x6',
      blobVersionedHashes: [word],
      blobs: ['0x01'],
      commitments: ['0x02'],
      proofs: ['0x03'],
      authorizationList: [{ chainId: '0x1', address, nonce: '0x0', yParity: '0x1', r: '0x7', s: '0x8' }],
    }
    expect(Transaction.schema.parse(request)).toEqual({
      from: addressBytes,
      to: addressBytes,
      gas: 21000n,
      gasPrice: 1n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 3n,
      value: 4n,
      nonce: 5n,
      data: new Uint8Array([1, 2]),
      accessList: [{ address: addressBytes, storageKeys: [wordBytes] }],
      chainId: 31337n,
      type: 2n,
      maxFeePerBlobGas: 6n,
      blobVersionedHashes: [wordBytes],
      blobs: [new Uint8Array([1])],
      commitments: [new Uint8Array([2])],
      proofs: [new Uint8Array([3])],
      authorizationList: [{ chainId: 1n, address: addressBytes, nonce: 0n, yParity: 1, r: 7n, s: 8n }],
    })
  })

  test('gasLimit is gas, and input is data', () => {
    expect(Transaction.schema.parse({ gasLimit: '0x1', input: '0x02' })).toEqual({
      gas: 1n,
      data: new Uint8Array([2]),
    })
    expect(Transaction.schema.parse({ gas: '0x1', gasLimit: '0x1', data: '0x02', input: '0x02' })).toEqual({
      gas: 1n,
      data: new Uint8Array([2]),
    })
    expect(complaint({ gas: '0x1', gasLimit: '0x2' })?.message).toMatch(/gas and gasLimit/)
    // As in geth: of a call the input counts, and what is signed must be clear.
    const different = { data: '0x01', input: '0x02' }
    expect(Transaction.schema.parse(different)).toEqual({ data: new Uint8Array([2]) })
    for (const type of [UnfilledTransaction, SenderTransaction]) {
      const { error } = type.schema.safeParse({ ...different, from: address })
      expect(error?.issues[0]?.message).toMatch(/both "data" and "input" are set/)
    }
  })

  test.each([
    [{ gas: 21000 }, 'gas'],
    [{ gas: '21000' }, 'gas'],
    [{ value: '0x00' }, 'value'],
    [{ to: '0x12' }, 'to'],
    [{ data: '0x1' }, 'data'],
    [{ nonce: '0x10000000000000000' }, 'nonce'],
    [{ accessList: [{ address }] }, 'accessList'],
  ])('%j is rejected by name', (request, member) => {
    expect(complaint(request)?.path[0]).toBe(member)
    expect(complaint(request)?.message).toMatch(/^expected |^Invalid input: expected /)
  })

  test('an account of the node signs only where it is named', () => {
    expect(SenderTransaction.schema.parse({ from: address, to: null })).toEqual({ from: addressBytes })
    for (const from of [undefined, null, '0x12']) {
      expect(SenderTransaction.schema.safeParse({ from }).error?.issues[0]?.message).toMatch(
        /^expected an address/,
      )
    }
  })
})
