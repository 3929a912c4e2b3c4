import { randomBytes } from 'node:crypto'
import { Notification, type NotificationParts } from '../base/notification.ts'

const head = Buffer.from('{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"')
const middle = Buffer.from('","result":')
const end = Buffer.from('}}')

/** The length of an id as text: `0x` and 32 digits. */
const idLength = 34

/**
 * Returns a random QUANTITY of 128 bits. Numbers with fewer digits are skipped, so that the messages to all subscribers
 * of an event have the same length.
 */
export const createSubscriptionId = (): string => {
  const digits = randomBytes(16).toString('hex')
  return digits.startsWith('0') ? createSubscriptionId() : `0x${digits}`
}

/** Returns the parts of an `eth_subscription` message with this JSON result; only the subscription id is missing. */
export const toSubscriptionMessage = (result: Uint8Array): NotificationParts => ({
  head,
  tail: Buffer.concat([middle, result, end]),
})

export const toNotification = (messages: readonly NotificationParts[]): Notification =>
  new Notification(messages, idLength)
