import type { FinalizeResult } from '../../../app/proposal/decidedBlock.ts'
import { type ProtoFields, ProtoWriter } from '../../../base/encoding/protobuf/protoWriter.ts'
import type { ValidatorChange } from '../../../chain/validators/validatorConfig.ts'

type Finalized = Pick<FinalizeResult, 'hash' | 'results' | 'events' | 'validatorChanges'>

/** The numbers of the fields of the response, and of what it holds. */
const response = { finalizeBlock: 21 } as const
const block = { events: 1, results: 2, validatorUpdates: 3, appHash: 5 } as const
const result = {
  code: 1,
  data: 2,
  log: 3,
  gasWanted: 5,
  gasUsed: 6,
  events: 7,
  codespace: 8,
} as const
const event = { type: 1, attributes: 2 } as const
const attribute = { key: 1, value: 2, index: 3 } as const
const update = { publicKey: 1, power: 2 } as const
const publicKey = { ed25519: 1 } as const

const writer = new ProtoWriter()

/** Encodes the response to FinalizeBlock for an executed block. */
export const encodeFinalizeResponse = ({ hash, results, events, validatorChanges }: Finalized): Uint8Array =>
  writer.write((to) => {
    to.begin(response.finalizeBlock)
    writeEvents(to, block.events, events)
    for (const one of results) writeResult(to, one)
    for (const change of validatorChanges) writeUpdate(to, change)
    to.bytes(block.appHash, hash)
    to.end()
  })

const writeResult = (
  to: ProtoFields,
  { code, data, log, gasWanted, gasUsed, events, codespace }: Finalized['results'][number],
): void => {
  to.begin(block.results)
  to.integer(result.code, code)
  to.bytes(result.data, data)
  to.text(result.log, log)
  to.integer(result.gasWanted, gasWanted)
  to.integer(result.gasUsed, gasUsed)
  writeEvents(to, result.events, events)
  to.text(result.codespace, codespace)
  to.end()
}

const writeEvents = (to: ProtoFields, field: number, events: Finalized['events']): void => {
  for (const { type, attributes } of events) {
    to.begin(field)
    to.text(event.type, type)
    for (const { key, value, index } of attributes) {
      to.begin(event.attributes)
      to.text(attribute.key, key)
      to.bytes(attribute.value, value)
      if (index) to.integer(attribute.index, 1)
      to.end()
    }
    to.end()
  }
}

const writeUpdate = (to: ProtoFields, { publicKey: key, power }: ValidatorChange): void => {
  to.begin(block.validatorUpdates)
  to.begin(update.publicKey)
  to.bytes(publicKey.ed25519, key)
  to.end()
  to.integer(update.power, power)
  to.end()
}
