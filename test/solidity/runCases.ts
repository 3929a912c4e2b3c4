import {
  type AbiFunction,
  encodeAbiParameters,
  getAddress,
  parseAbiItem,
  toFunctionSelector,
  toHex,
} from 'viem'
import { type FailingCase, failingCases } from './cases.ts'
import { type Compiled, contractOf } from './compile.ts'

/** Where a transaction failed: `Contract.function:line`, the innermost first. */
export type Stack = readonly string[]

/** A node to which the cases are sent. */
export interface CaseNode {
  call<T>(method: string, params: readonly unknown[]): Promise<T>
  /** Sends a transaction that fails, and returns where. */
  failing(transaction: object): Promise<Stack>
}

const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const gas = toHex(8_000_000)

/** Deploys what the cases need and returns where each of them fails. */
export const runCases = async (node: CaseNode, compiled: Compiled): Promise<ReadonlyMap<string, Stack>> => {
  const deployed = new Map<string, string>()
  const deploy = async (name: string, value = '0x0'): Promise<string> => {
    const known = deployed.get(name)
    if (known !== undefined) return known
    const data = await link(name)
    const hash = await node.call<string>('eth_sendTransaction', [{ from, gas, data, value }])
    const receipt = await node.call<{ contractAddress: string; status: string }>(
      'eth_getTransactionReceipt',
      [hash],
    )
    if (receipt.status !== '0x1') throw new Error(`${name} was not created`)
    deployed.set(name, receipt.contractAddress)
    return receipt.contractAddress
  }
  const link = async (name: string): Promise<string> => {
    const { object, linkReferences } = contractOf(compiled, name).evm.bytecode
    let code = object
    for (const libraries of Object.values(linkReferences))
      for (const [library, places] of Object.entries(libraries)) {
        const address = (await deploy(library)).slice(2)
        for (const { start } of places) code = code.slice(0, 2 * start) + address + code.slice(2 * start + 40)
      }
    return `0x${code}`
  }

  const stacks = new Map<string, Stack>()
  for (const [name, one] of Object.entries(failingCases)) {
    const value = toHex(one.value ?? 0n)
    const request = { from, gas: toHex(one.gas ?? 8_000_000n), value }
    const transaction =
      one.call === undefined
        ? { ...request, data: (await link(one.contract)) + (one.data ?? '') }
        : {
            ...request,
            to: getAddress(await deploy(one.contract, one.contract === 'Outside' ? '0x64' : '0x0')),
            data: callData(one),
          }
    stacks.set(name, await node.failing(transaction))
  }
  return stacks
}

const callData = ({ call = '', args = [], data = '0x' }: FailingCase): string => {
  if (call === '') return data
  const item = parseAbiItem(`function ${call}`) as AbiFunction
  const encoded = args.length === 0 ? data : encodeAbiParameters(item.inputs, args)
  return toFunctionSelector(item) + encoded.slice(2)
}
