import { toHex } from '../../base/encoding/hex.ts'
import { optionalParam, param, secretParam } from '../../rpc/method.ts'
import { nothing } from '../answers/done.ts'
import { privateMethod } from '../method.ts'
import { Flag, Text } from '../wire/basic.ts'
import { Bytes32 } from '../wire/data.ts'
import { alice, aliceKey, bob } from '../wire/exampleValues.ts'
import { WalletAccount, WalletList } from '../wire/wallets.ts'

const url = param('url', Text, 'The wallet, such as keystore://savings.')
const pairingPassword = secretParam('pairingPassword', Text, 'The password of the pairing.')

const sampleUrl = 'keystore://savings'
const samplePath = "m/44'/60'/0'/0/0"

/** The methods for software wallets: see `keystore/wallets`. */
export const walletMethods = [
  privateMethod({
    name: 'personal_initializeWallet',
    summary: 'Makes a wallet at a URL and gives its new private key.',
    params: [url],
    result: { name: 'privateKey', type: Bytes32 },
    examples: [{ name: 'a wallet', params: [sampleUrl], result: `0x${aliceKey}` }],
    handler: ([given], { wallets }) => wallets.initialize(given),
  }),
  privateMethod({
    name: 'personal_unpair',
    summary: 'Forgets the pairing between a wallet and the node.',
    params: [url, pairingPassword],
    result: nothing,
    examples: [{ name: 'a wallet', params: [sampleUrl, '<PASSWORD>'], result: null }],
    handler: async ([given, password], { wallets, keystore }) => {
      await wallets.unpair(given, password)
      // Its accounts do not belong to the node any more; reading the list locks them.
      keystore.list()
    },
  }),
  privateMethod({
    name: 'personal_openWallet',
    summary:
      'Opens a wallet; the first time this pairs it with the node and encrypts its key with the password.',
    params: [url, pairingPassword],
    result: nothing,
    examples: [{ name: 'a wallet', params: [sampleUrl, '<PASSWORD>'], result: null }],
    handler: ([given, password], { wallets }) => wallets.openWallet(given, password),
  }),
  privateMethod({
    name: 'personal_listWallets',
    summary:
      'Lists the key files and the wallets of the node, with their accounts and whether they are open.',
    params: [],
    result: { name: 'wallets', type: WalletList },
    examples: [
      {
        name: 'one wallet',
        params: [],
        result: [{ url: sampleUrl, status: 'Open', accounts: [{ address: alice, url: sampleUrl }] }],
      },
    ],
    handler: (_, { keystore, wallets }) =>
      [...keystore.fileStates(), ...wallets.states()].map((state) => ({
        ...state,
        accounts: state.accounts.map((account) => ({ ...account, address: toHex(account.address) })),
      })),
  }),
  privateMethod({
    name: 'personal_deriveAccount',
    summary: 'Derives an account of an open wallet, whose private key is the seed (BIP-32).',
    params: [
      url,
      param('path', Text, "The derivation path, such as m/44'/60'/0'/0/0."),
      optionalParam('pin', Flag, 'Whether the account is one of the node from now on; false when missing.'),
    ],
    result: { name: 'account', type: WalletAccount },
    examples: [
      {
        name: 'the first account',
        params: [sampleUrl, samplePath, true],
        result: { address: bob, url: `${sampleUrl}/${samplePath}` },
      },
    ],
    handler: async ([given, path, pin], { wallets }) => {
      const account = await wallets.derive(given, path, pin ?? false)
      return { ...account, address: toHex(account.address) }
    },
  }),
]
