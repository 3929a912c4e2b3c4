import { z } from 'zod'
import { toHex } from '../../base/encoding/hex.ts'
import { invalidParams } from '../../rpc/errors.ts'
import { limitedList } from '../../rpc/limitedTypes.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { Done } from '../answers/done.ts'
import { latest } from '../answers/lookup.ts'
import { AnyJson, Flag, Text } from '../wire/basic.ts'
import { Address, addressText, Data, dataText } from '../wire/data.ts'
import { maxAbiLength, maxNameLength, type RegisteredAbi } from './abiStore.ts'
import { devMethod } from './devMethod.ts'

const abi = z.array(z.unknown()).describe('The ABI as the compiler wrote it')

const RegisteredAbis = plainType(
  z.array(z.object({ address: addressText, name: z.string(), abi })).describe('The oldest first'),
)

const CompiledContractOrNull = plainType(
  z.union([
    z
      .object({
        name: z.string(),
        source: z.string().describe('The file that it is in'),
        abi,
        sourceMap: z
          .string()
          .describe("Which part of the source each instruction is of, as solc's output has it"),
        creationCode: dataText.describe(
          'The code that creates it, without the parameters of the constructor',
        ),
        creationMap: z.string(),
        sources: z.array(z.object({ id: z.number(), path: z.string(), content: z.string() })),
      })
      .describe('A contract as it was compiled'),
    z.null(),
  ]),
)

const maxAddresses = 100
const Addresses: WireType<readonly Uint8Array[]> = inputType(
  limitedList(Address.schema, { max: maxAddresses, error: `expected at most ${maxAddresses} addresses` }),
)

const copyOf = ({ address, name, abi: list }: RegisteredAbi) => ({ address, name, abi: [...list] })

/** The methods with which those who look at a chain for development share what they know of its contracts. */
export const devContractMethods = [
  ...devMethod({
    names: ['perihelion_setAbi'],
    summary:
      'Registers the ABI of a contract, so that whoever opens the explorer sees it; it is kept in the home.',
    params: [
      param('address', Address, 'The contract.'),
      param('name', Text, `Its name, of at most ${maxNameLength} characters.`),
      param('abi', AnyJson, "The list of its functions, events and errors, as in the compiler's output."),
    ],
    result: { name: 'taken', type: Done },
    examples: [],
    handler: ([address, name, list], _dev, { abis }) => {
      if (name.length > maxNameLength)
        throw invalidParams(`parameter 2 (name): expected at most ${maxNameLength} characters`)
      if (!Array.isArray(list) || list.length === 0)
        throw invalidParams('parameter 3 (abi): expected a list that is not empty')
      if (JSON.stringify(list).length > maxAbiLength)
        throw invalidParams(`parameter 3 (abi): expected at most ${maxAbiLength} characters`)
      abis.set({ address: toHex(address), name, abi: list })
    },
  }),
  ...devMethod({
    names: ['perihelion_removeAbi'],
    summary: 'Forgets the ABI of a contract.',
    params: [param('address', Address, 'The contract.')],
    result: { name: 'wasKnown', type: Flag },
    examples: [],
    handler: ([address], _dev, { abis }) => abis.remove(toHex(address)),
  }),
  ...devMethod({
    names: ['perihelion_abis'],
    summary:
      'Lists the ABIs that were registered, or those of some contracts: registered, or as the compiler gave them for their code.',
    params: [
      optionalParam(
        'addresses',
        Addresses,
        `At most ${maxAddresses} contracts; those without an ABI are left out.`,
      ),
    ],
    result: { name: 'abis', type: RegisteredAbis },
    examples: [{ name: 'none yet', params: [], result: [] }],
    handler: async ([addresses], _dev, { abis, contracts, chain }) => {
      const registered = abis.all()
      if (addresses === undefined) return registered.map(copyOf)
      const byAddress = new Map(registered.map((one) => [one.address, one]))
      const state = await chain.state(latest)
      const found = await Promise.all(
        addresses.map(async (address) => {
          const text = toHex(address)
          const known = byAddress.get(text) ?? contracts.find(await state.code(address))
          return known && copyOf({ address: text, name: known.name, abi: known.abi })
        }),
      )
      return found.filter((one) => one !== undefined)
    },
  }),
  ...devMethod({
    names: ['perihelion_compiledContract'],
    summary:
      'Finds the contract with this code among those of hardhat_addCompilationResult, with its source, for debuggers.',
    params: [
      param('code', Data, 'The code of the contract.'),
      optionalParam('isCreation', Flag, 'Whether it is the code that creates it.'),
    ],
    result: { name: 'contract', type: CompiledContractOrNull },
    examples: [],
    handler: ([code, isCreation = false], _dev, { contracts }) => {
      const found = isCreation ? contracts.findCreated(code) : contracts.find(code)
      if (found === undefined) return null
      const { name, source, deployed, creation, compilation } = found
      return {
        name,
        source,
        abi: [...found.abi],
        sourceMap: deployed.sourceMap,
        creationCode: toHex(creation.bytes),
        creationMap: creation.sourceMap,
        sources: compilation.files.map((file) => ({ ...file })),
      }
    },
  }),
]
