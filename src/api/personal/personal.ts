import { recoverAddress } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { signedMessageHash } from '../../chain/signing/message.ts'
import type { KeySigner, Keystore } from '../../keystore/keystore.ts'
import { callFailed } from '../../rpc/errors.ts'
import { optionalParam, optionalSecretParam, param, secretParam } from '../../rpc/method.ts'
import { patternString, plainType } from '../../rpc/wireType.ts'
import { sendFromAccount, signWithAccount } from '../accounts/accountTransactions.ts'
import { createOneTimeSigner, signHash } from '../accounts/signing.ts'
import { Done } from '../answers/done.ts'
import { privateMethod } from '../method.ts'
import { Text } from '../wire/basic.ts'
import { Address, Data, Hash } from '../wire/data.ts'
import {
  alice,
  aliceKey,
  bob,
  messageSignature,
  pendingTransaction,
  rawTransaction,
  message as sampleMessage,
  transactionHash,
} from '../wire/exampleValues.ts'
import { wholeNumber } from '../wire/quantity.ts'
import { Addresses, SignedTransaction } from '../wire/results.ts'
import { SenderTransaction } from '../wire/transactionRequest.ts'

const address = param('address', Address, 'The account.')
const passphrase = secretParam('passphrase', Text, 'The passphrase of its key.')
const message = param('message', Data, 'The message.')
const newAddress = { name: 'address', type: Address }

const transfer = { from: alice, to: bob, value: '0xde0b6b3a7640000' }
const wholeTransfer = {
  ...transfer,
  gas: '0x5208',
  nonce: '0x0',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x3b9aca00',
}

const defaultUnlockSeconds = 300

/** geth's limit, the longest duration of Go (about 292 years). */
const maxUnlockSeconds = 9_223_372_036

/** Returns the address that signed. The checks and messages are those of geth, which accepts only 27 and 28. */
const signerOf = (signed: Uint8Array, signature: Uint8Array): Uint8Array => {
  if (signature.length !== 65) throw callFailed('signature must be 65 bytes long')
  const v = signature[64]
  if (v !== 27 && v !== 28) throw callFailed('invalid Ethereum signature (V is not 27 or 28)')
  const signer = recoverAddress(signedMessageHash(signed), {
    compact: signature.subarray(0, 64),
    recovery: v - 27,
  })
  if (signer === undefined) throw callFailed('recovery failed')
  return signer
}

/** Opens a key while `work` runs. The account stays locked for all other calls. */
const withKey = async <T>(
  keystore: Keystore,
  address: Uint8Array,
  given: string,
  work: (opened: KeySigner) => T | Promise<T>,
): Promise<T> => {
  if (!keystore.has(address)) throw callFailed('unknown account')
  const opened = await keystore.open(address, given)
  try {
    return await work(opened)
  } finally {
    opened.close()
  }
}

export const personalMethods = [
  privateMethod({
    name: 'personal_newAccount',
    summary: 'Makes a new key, stores it encrypted with a passphrase, and gives its address.',
    params: [secretParam('passphrase', Text, 'Encrypts the new key.')],
    result: newAddress,
    examples: [{ name: 'a new account', params: ['<PASSPHRASE>'], result: alice }],
    handler: ([given], { keystore }) => keystore.create(given),
  }),
  privateMethod({
    name: 'personal_importRawKey',
    summary: 'Stores a private key encrypted with a password, and gives its address.',
    params: [
      secretParam(
        'privateKey',
        plainType(
          patternString(/^(?:0x)?[0-9a-fA-F]{64}$/, 'a private key: 64 hex digits, with or without 0x'),
        ),
        'The key, unencrypted.',
      ),
      secretParam('password', Text, 'Encrypts the key.'),
    ],
    result: newAddress,
    examples: [{ name: 'a key', params: [aliceKey, '<PASSWORD>'], result: alice }],
    handler: ([key, password], { keystore }) =>
      keystore.importKey(new Uint8Array(Buffer.from(key.replace(/^0x/, ''), 'hex')), password),
  }),
  privateMethod({
    name: 'personal_listAccounts',
    summary: 'Lists the accounts that the node manages.',
    params: [],
    result: { name: 'accounts', type: Addresses },
    examples: [{ name: 'two accounts', params: [], result: [alice, bob] }],
    handler: (_, { accounts }) => accounts.list().map(toHex),
  }),
  privateMethod({
    name: 'personal_lockAccount',
    summary: 'Forgets the decrypted key of an account.',
    params: [address],
    result: { name: 'locked', type: Done },
    examples: [{ name: 'locked', params: [alice], result: true }],
    handler: ([account], { keystore }) => keystore.lock(account),
  }),
  privateMethod({
    name: 'personal_unlockAccount',
    summary: 'Decrypts the key of an account and keeps it in memory for a time.',
    params: [
      address,
      passphrase,
      optionalParam(
        'seconds',
        plainType(wholeNumber(0, maxUnlockSeconds, 'a whole number of seconds')),
        'How long; 300 when missing, 0 until the process exits.',
      ),
    ],
    result: { name: 'unlocked', type: Done },
    examples: [{ name: 'for a minute', params: [alice, '<PASSPHRASE>', 60], result: true }],
    handler: ([account, given, seconds], { keystore }, { signal }) =>
      keystore.unlock(account, given, seconds ?? defaultUnlockSeconds, signal),
  }),
  privateMethod({
    name: 'personal_sendTransaction',
    summary: 'Signs a transaction with an account that stays locked for other calls, and sends it.',
    work: 'write',
    params: [param('transaction', SenderTransaction, 'What to sign and send.'), passphrase],
    result: { name: 'transactionHash', type: Hash },
    examples: [{ name: 'a transfer', params: [transfer, '<PASSPHRASE>'], result: transactionHash }],
    handler: ([request, given], context, scope) =>
      withKey(context.keystore, request.from, given, (opened) =>
        sendFromAccount(context, request, createOneTimeSigner(opened), scope),
      ),
  }),
  privateMethod({
    name: 'personal_sign',
    summary:
      'Signs a message behind the prefix for signed messages, with a passphrase or an unlocked account.',
    params: [
      message,
      address,
      optionalSecretParam(
        'passphrase',
        Text,
        'The passphrase of its key; the account stays locked. Missing if the account is unlocked.',
      ),
    ],
    result: { name: 'signature', type: Data },
    examples: [
      { name: 'four bytes', params: [sampleMessage, alice, '<PASSPHRASE>'], result: messageSignature },
    ],
    handler: ([bytes, account, given], { keystore }, { caller }) => {
      const hash = signedMessageHash(bytes)
      // In the dev profile others may call it too: they sign with unlocked accounts, and open no key.
      const mayOpen = caller.authorizedUntil > Date.now()
      return given === undefined || !mayOpen
        ? signHash(keystore, account, hash)
        : withKey(keystore, account, given, (opened) => signHash(createOneTimeSigner(opened), account, hash))
    },
  }),
  privateMethod({
    name: 'personal_ecRecover',
    summary: 'Finds which account signed a message with personal_sign or eth_sign.',
    params: [message, param('signature', Data, 'The signature: 65 bytes, the last one 27 or 28.')],
    result: { name: 'address', type: Address },
    examples: [{ name: 'four bytes', params: [sampleMessage, messageSignature], result: alice }],
    handler: ([signed, signature]) => signerOf(signed, signature),
  }),
  privateMethod({
    name: 'personal_signTransaction',
    summary: 'Signs a transaction with an account that stays locked for other calls, and sends nothing.',
    params: [param('transaction', SenderTransaction, 'What to sign; with gas, fees and nonce.'), passphrase],
    result: { name: 'signed', type: SignedTransaction },
    examples: [
      {
        name: 'a transfer',
        params: [wholeTransfer, '<PASSPHRASE>'],
        result: { raw: rawTransaction, tx: pendingTransaction },
      },
    ],
    handler: ([request, given], context) =>
      withKey(context.keystore, request.from, given, (opened) =>
        signWithAccount(context, request, createOneTimeSigner(opened)),
      ),
  }),
]
