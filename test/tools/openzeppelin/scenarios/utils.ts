import {
  concatHex,
  encodeFunctionData,
  getCreate2Address,
  keccak256,
  maxUint256,
  pad,
  stringToHex,
  toHex,
} from 'viem'
import type { Exercise } from '../exercise.ts'

/** Libraries: text, numbers, sets, signatures, proofs, creation at a known address. */
export const exerciseUtils = async (run: Exercise): Promise<void> => {
  const tools = await run.deploy('Tools')
  for (const value of [0n, 10n, maxUint256]) await run.reads(tools, 'decimal', [value], value.toString())
  await run.reads(tools, 'hexadecimal', [0xabcn], '0x0abc')
  await run.reads(tools, 'base64', [stringToHex('perihelion')], Buffer.from('perihelion').toString('base64'))
  await run.reads(tools, 'base64', ['0x'], '')
  for (const [value, root] of [
    [0n, 0n],
    [17n, 4n],
    [maxUint256, 2n ** 128n - 1n],
  ])
    await run.reads(tools, 'sqrt', [value], root)
  await run.reads(tools, 'log2', [2n ** 200n + 1n], 200n)
  await run.reads(tools, 'mulDiv', [maxUint256, maxUint256 - 1n, maxUint256], maxUint256 - 1n)
  await run.fails(tools, 'mulDiv', [1n, 1n, 0n], ['Panic', 0x12n])
  await run.fails(tools, 'mulDiv', [maxUint256, maxUint256, 1n], ['Panic', 0x11n])
  await run.reads(tools, 'modExp', [3n, 200n, 13n], 9n)
  await run.reads(tools, 'toUint8', [255n], 255)
  await run.fails(tools, 'toUint8', [256n], ['SafeCastOverflowedUintDowncast', 8, 256n])

  for (const value of [4n, 5n, 6n, 5n]) await run.sends(tools, 'add', [value], [])
  await run.reads(tools, 'values', [], [4n, 5n, 6n])
  await run.sends(tools, 'remove', [4n], [])
  await run.reads(tools, 'values', [], [6n, 5n])
  const calls = [7n, 8n].map((value) =>
    encodeFunctionData({ abi: tools.abi, functionName: 'add', args: [value] }),
  )
  await run.sends(tools, 'multicall', [calls], [])
  await run.reads(tools, 'values', [], [6n, 5n, 7n, 8n])

  const signer = run.account(6)
  const message = stringToHex('a message')
  const signature = await run.require<`0x${string}`>('personal_sign', message, signer)
  await run.reads(tools, 'recover', [message, signature], signer)
  await run.fails(tools, 'recover', [message, '0x01'], ['ECDSAInvalidSignatureLength', 1n])
  const high = concatHex([pad('0x1'), toHex(maxUint256), '0x1b'])
  await run.fails(tools, 'recover', [message, high], ['ECDSAInvalidSignatureS', toHex(maxUint256)])

  const leaves = ['a', 'b', 'c', 'd'].map((text) => keccak256(stringToHex(text)))
  const join = (one: `0x${string}`, other: `0x${string}`): `0x${string}` =>
    keccak256(concatHex(one < other ? [one, other] : [other, one]))
  const [a, b, c, d] = leaves as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`]
  const root = join(join(a, b), join(c, d))
  await run.reads(tools, 'verify', [[b, join(c, d)], root, a], true)
  await run.reads(tools, 'verify', [[b, join(c, d)], root, c], false)

  const { bytecode, abi } = run.artifact('Plain')
  const salt = pad('0x2a')
  const address = getCreate2Address({ from: tools.address, salt, bytecode })
  await run.reads(tools, 'created', [salt, keccak256(bytecode)], address)
  await run.sends(tools, 'create', [salt, bytecode], [])
  await run.sends({ abi, bytecode, address }, 'increase', [], [])
  await run.reads({ abi, bytecode, address }, 'count', [], 1n)
  await run.fails(tools, 'create', [salt, bytecode], ['FailedDeployment'])
  await run.fails(tools, 'create', [salt, '0x'], ['Create2EmptyBytecode'])
}

/** A call that one account signs and another pays for. */
export const exerciseForwarder = async (run: Exercise): Promise<void> => {
  const [payer, signer] = [run.account(0), run.account(3)]
  const forwarder = await run.deploy('Forwarder')
  const target = await run.deploy('Target', [forwarder.address])
  const data = encodeFunctionData({ abi: target.abi, functionName: 'touch', args: [11n] })
  const deadline = 10_000_000_000
  const members = [
    'from:address',
    'to:address',
    'value:uint256',
    'gas:uint256',
    'nonce:uint256',
    'deadline:uint48',
  ]
  const signature = await run.require<string>('eth_signTypedData_v4', signer, {
    types: {
      EIP712Domain: ['name:string', 'version:string', 'chainId:uint256', 'verifyingContract:address'].map(
        toMember,
      ),
      ForwardRequest: [...members, 'data:bytes'].map(toMember),
    },
    primaryType: 'ForwardRequest',
    domain: { name: 'Forwarder', version: '1', chainId: run.chainId, verifyingContract: forwarder.address },
    message: { from: signer, to: target.address, value: '0', gas: '100000', nonce: '0', deadline, data },
  })
  const request = { from: signer, to: target.address, value: 0n, gas: 100_000n, deadline, data, signature }
  await run.reads(forwarder, 'verify', [request], true)
  await run.reads(forwarder, 'verify', [{ ...request, gas: 1n }], false)
  await run.sends(
    forwarder,
    'execute',
    [request],
    [
      ['Called', signer, 11n],
      ['ExecutedForwardRequest', signer, 0n, true],
    ],
  )
  await run.reads(target, 'last', [], signer)
  await run.sends(target, 'touch', [12n], [['Called', payer, 12n]])
  await run.reads(forwarder, 'nonces', [signer], 1n)
  await run.fails(
    forwarder,
    'execute',
    [{ ...request, value: 1n }],
    ['ERC2771ForwarderMismatchedValue', 1n, 0n],
  )
}

const toMember = (text: string): { readonly name: string | undefined; readonly type: string | undefined } => {
  const [name, type] = text.split(':')
  return { name, type }
}
