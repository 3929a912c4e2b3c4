import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'
import { addressText } from './data.ts'
import { uint64Text } from './quantity.ts'
import { transactionResult } from './results.ts'

const byNonce = <Schema extends z.ZodType>(entry: Schema) =>
  z.record(z.string().regex(/^\d+$/), entry).describe('By nonce in decimal')

const bySender = <Schema extends z.ZodType>(entry: Schema) =>
  z.record(addressText, byNonce(entry)).describe('By sender, then by nonce in decimal')

const pendingAndQueued = <Schema extends z.ZodType>(schema: Schema) =>
  plainType(z.object({ pending: schema, queued: schema }))

export const PoolContent = pendingAndQueued(bySender(transactionResult))
export const SenderContent = pendingAndQueued(byNonce(transactionResult))
export const PoolSummary = pendingAndQueued(bySender(z.string()))
export const PoolStatus = pendingAndQueued(uint64Text)
