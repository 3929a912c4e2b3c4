import { keccak256 } from '../../base/crypto/crypto.ts'
import { param } from '../../rpc/method.ts'
import { servedMethod } from '../method.ts'
import { Text } from '../wire/basic.ts'
import { Data, Hash } from '../wire/data.ts'

export const web3Methods = [
  servedMethod({
    name: 'web3_clientVersion',
    summary: 'Names the program, its version, the platform and the runtime, separated by slashes.',
    params: [],
    result: { name: 'version', type: Text },
    examples: [{ name: 'version', params: [], result: 'perihelion/v0.1.0/linux-x64/node20.20.2' }],
    handler: (_, { clientVersion }) => clientVersion,
  }),
  servedMethod({
    name: 'web3_sha3',
    summary: 'Hashes bytes with Keccak-256, which is not the standardised SHA3-256.',
    params: [param('input', Data, 'The bytes to hash.')],
    result: { name: 'hash', type: Hash },
    examples: [
      {
        name: 'hello world',
        params: ['0x68656c6c6f20776f726c64'],
        result: '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
      },
    ],
    handler: ([input]) => keccak256(input),
  }),
]
