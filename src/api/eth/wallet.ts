import { toHex } from '../../base/encoding/hex.ts'
import { assertNoArrays, typedDataHash } from '../../chain/signing/typedData.ts'
import { typedDataV1Hash } from '../../chain/signing/typedDataV1.ts'
import { invalidParams } from '../../rpc/errors.ts'
import { param } from '../../rpc/method.ts'
import { signHash } from '../accounts/signing.ts'
import { method } from '../method.ts'
import { Address, Data } from '../wire/data.ts'
import { alice, bob, typedData, typedDataSignature } from '../wire/exampleValues.ts'
import { Addresses } from '../wire/results.ts'
import { AddressOrNamedValues, checkTypedData, TypedDataOrAddress, TypedDataType } from '../wire/typedData.ts'

/**
 * Methods that wallets have and nodes do not. The dev profile has them, because libraries that expect a wallet call them
 * on a development chain.
 */
export const walletMethodsOfEth = [
  method({
    name: 'eth_requestAccounts',
    summary:
      'Lists the accounts that the node manages, as a wallet does that was asked for access (EIP-1102).',
    access: 'signing',
    params: [],
    result: { name: 'accounts', type: Addresses },
    examples: [{ name: 'two accounts', params: [], result: [alice, bob] }],
    handler: (_, { accounts }) => accounts.list().map(toHex),
  }),
  method({
    name: 'eth_signTypedData',
    summary: 'Signs structured data (EIP-712), or a list of named values as wallets took it before.',
    access: 'signing',
    params: [
      param('address', AddressOrNamedValues, 'The account that signs; before EIP-712, the values.'),
      param('typedData', TypedDataOrAddress, 'Types, domain and message; before EIP-712, the account.'),
    ],
    result: { name: 'signature', type: Data },
    examples: [{ name: 'a mail', params: [alice, typedData], result: typedDataSignature }],
    handler: ([first, second], { accounts }) => {
      if (first instanceof Uint8Array) {
        if (second instanceof Uint8Array)
          throw invalidParams('invalid argument 1 (typedData): got an address')
        return signHash(
          accounts,
          first,
          checkTypedData(() => typedDataHash(second)),
        )
      }
      if (!(second instanceof Uint8Array))
        throw invalidParams('invalid argument 1 (typedData): expected the address that signs the values')
      return signHash(
        accounts,
        second,
        checkTypedData(() => typedDataV1Hash(first)),
      )
    },
  }),
  method({
    name: 'eth_signTypedData_v3',
    summary: 'Signs structured data without arrays (EIP-712).',
    access: 'signing',
    params: [
      param('address', Address, 'The account that signs; it must be unlocked.'),
      param('typedData', TypedDataType, 'Types, domain and message; an object or its JSON.'),
    ],
    result: { name: 'signature', type: Data },
    examples: [{ name: 'a mail', params: [alice, typedData], result: typedDataSignature }],
    handler: ([address, data], { accounts }) =>
      signHash(
        accounts,
        address,
        checkTypedData(() => {
          assertNoArrays(data)
          return typedDataHash(data)
        }),
      ),
  }),
]
