import { readFileSync } from 'node:fs'
import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { buildSolidity, contractOf } from '../../scripts/solidity.ts'
import { createRpcClient } from '../support/rpc/rpcClient.ts'

const source = readFileSync(new URL('Hostile.sol', import.meta.url), 'utf8')

/** Renames the keys of an object at any depth, as the names of files and contracts are. */
const renamed = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => renamed(one, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [names.get(key) ?? key, renamed(one, names)]),
  )
}

/** A page of the explorer, and the strings that a contract, an ABI or a compiler made it show. */
interface Visit {
  readonly link: string
  readonly marks: readonly string[]
  readonly button?: string
}

/**
 * Has contracts of a real chain, and those who described them to the node, say `text(mark)` wherever they can, and returns
 * where each mark has to be seen.
 */
export const fillHostileChain = async (
  url: string,
  text: (mark: string) => string,
): Promise<readonly Visit[]> => {
  const client = createRpcClient(url)
  let count = 100
  const mark = (): string => `m${count++}`
  const build = buildSolidity(source, { evmVersion: 'cancun', optimizer: { enabled: false } }, [
    'abi',
    'evm.bytecode',
    'evm.deployedBytecode',
  ])
  const compiled = contractOf(build, 'Hostile')
  // Sound, since it comes from the compiler.
  const abi = compiled.abi as []
  const [from] = await client.call<Hex[]>('eth_accounts')
  const send = async (transaction: object) => {
    const hash = await client.call<Hex>('eth_sendTransaction', { from, gas: '0x7a1200', ...transaction })
    const receipt = await client.call<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)
    return { hash, receipt }
  }
  const [name, symbol, path, contract, line, input] = Array.from({ length: 6 }, mark) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const creation = await send({
    data: encodeDeployData({
      abi,
      bytecode: `0x${compiled.evm.bytecode.object}`,
      args: [text(name), text(symbol)] as never,
    }),
  })
  const to = creation.receipt.contractAddress
  const say = async (functionName: string) => {
    const said = mark()
    const data = encodeFunctionData({ abi, functionName, args: [text(said)] } as never)
    return { said, ...(await send({ to, data })) }
  }
  const [noted, failed, odd, spoken] = [
    await say('note'),
    await say('fail'),
    await say('odd'),
    await say('speak'),
  ]
  const names = new Map([
    ['Hostile', text(contract)],
    ['contract.sol', text(path)],
  ])
  const planted = JSON.stringify(build.input).replace('PLANTED', () =>
    JSON.stringify(text(line)).slice(1, -1),
  )
  await client.call(
    'hardhat_addCompilationResult',
    '0.8.30',
    renamed(JSON.parse(planted), names),
    renamed(build.output, names),
  )
  const registered = (abi as { readonly inputs?: readonly object[] }[]).map((item) => ({
    ...item,
    inputs: item.inputs?.map((one) => ({ ...one, name: text(input) })),
  }))
  await client.call('perihelion_setAbi', to, text(contract).slice(0, 100), registered)
  return [
    { link: `#/address/${to}`, marks: [name, symbol, contract] },
    { link: `#/tx/${creation.hash}`, marks: [name, symbol] },
    { link: `#/tx/${noted.hash}`, marks: [noted.said, input] },
    { link: `#/tx/${noted.hash}?tab=events`, marks: [noted.said, input, contract] },
    { link: `#/tx/${failed.hash}`, marks: [failed.said] },
    { link: `#/tx/${odd.hash}`, marks: [odd.said, input] },
    { link: `#/tx/${odd.hash}?tab=calls`, marks: [odd.said, contract] },
    { link: `#/tx/${spoken.hash}?tab=calls`, marks: [spoken.said, contract] },
    { link: `#/address/${to}?tab=contract`, marks: [input, contract, name, symbol] },
    { link: `#/debug/${failed.hash}`, marks: [path, contract, line], button: 'Last failure' },
    { link: '', marks: [contract] },
    { link: '#/logs?from=0&to=latest', marks: [noted.said, input, contract] },
  ]
}
