import { randomBytes } from 'node:crypto'
import { Notification, type NotificationParts } from '../base/notification.ts'

const head = Buffer.from('{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"')
const middle = Buffer.from('","result":')
const end = Buffer.from('}}')

/** An id as it is written: `0x` and 32 digits. */
const idLength = 34

/**
 * A random QUANTITY of 128 bits. Numbers with fewer digits are passed over, so that the messages to all subscribers
 * of an event have one length.
 */
export const createSubscriptionId = (): string => {
  const digits = randomBytes(16).toString('hex')
  return digits.startsWith('0') ? createSubscriptionId() : `0x${digits}`
}

/** The notification with this result, JSON, but for the subscription's id. */
export const toHeadMessage = (result: Uint8Array): NotificationParts => ({
  head,
  tail: Buffer.concat([middle, result, end]),
})

export const toNotification = (messages: readonly NotificationParts[]): Notification =>
  new Notification(messages, idLength)
