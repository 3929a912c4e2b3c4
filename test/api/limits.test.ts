import { describe, expect, test } from 'vitest'
import { methods } from '../../src/api/methods.ts'
import { errorCodes, RpcError } from '../../src/rpc/errors.ts'
import { createOpenRpcDocument } from '../../src/rpc/openrpc.ts'
import { callApi } from '../support/callApi.ts'
import { type ListPlace, SchemaValues } from '../support/rpc/schemaValues.ts'
import { slow } from '../support/slow.ts'

/** Every list and record of every method: it has a limit, and what is wrong with it is found with little work. */

const document = createOpenRpcDocument(methods, '1.0.0')
const values = new SchemaValues(document)

interface Place extends ListPlace {
  readonly method: string
  readonly position: number
}

const places = document.methods.flatMap(({ name: method, params }) =>
  params.flatMap(({ name, schema }, position) =>
    values.lists(name, schema).map((place): Place => ({ ...place, method, position })),
  ),
)

/** Codes for too many, where it is not -32602: those of the decisions and of geth. */
const codesForTooMany: Readonly<Record<string, number>> = {
  eth_getProof: errorCodes.limitExceeded,
  eth_getStorageValues: errorCodes.limitExceeded,
  'eth_simulateV1 simulation.blockStateCalls': -38026,
  'eth_simulateV1 simulation.blockStateCalls[].calls': -38026,
  eth_feeHistory: errorCodes.failed,
  'perihelion_proofs request.accounts[].slots': errorCodes.limitExceeded,
  'perihelion_callWitness question.simulation.blockStateCalls': -38026,
  'perihelion_callWitness question.simulation.blockStateCalls[].calls': -38026,
}

const codeForTooMany = ({ method, path }: Place): number =>
  codesForTooMany[`${method} ${path}`] ?? codesForTooMany[method] ?? errorCodes.invalidParams

/** Calls the method with an argument that is wrong at one place alone. */
const callWith = async (place: Place, value: unknown): Promise<RpcError> => {
  const { params = [] } = document.methods.find(({ name }) => name === place.method) ?? {}
  const args = params
    .slice(0, place.position + 1)
    .map(({ schema }, position) => (position === place.position ? place.wrap(value) : values.sample(schema)))
  const answer = await callApi(place.method, args)
  if (!(answer instanceof RpcError)) throw new Error(`${place.method} ${place.path} was taken`)
  return answer
}

/** Returns a list, or an object with as many members, whose elements are counted when somebody looks at them. */
const createWatched = (place: Place, length: number, element: unknown) => {
  const watched = { looks: 0 }
  const count = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, name, receiver) => {
        if (name !== 'length') watched.looks++
        return Reflect.get(object, name, receiver) as unknown
      },
    })
  if (place.kind === 'list') return { watched, value: count(new Array<unknown>(length).fill(element)) }
  return { watched, value: count(recordOf(String(values.sample(place.key ?? {})), length, element)) }
}

const records = new Map<string, object>()

/** Returns an object of that many members, whose names differ and are as valid as the sample. It is made once. */
const recordOf = (sample: string, length: number, element: unknown): object => {
  const id = `${sample} ${length} ${typeof element === 'symbol' ? 'symbol' : JSON.stringify(element)}`
  let record = records.get(id)
  if (record === undefined) {
    const stem = sample.slice(0, Math.max(0, sample.length - 8))
    const nameOf = (index: number): string => stem + index.toString(16).padStart(8, '0')
    record = Object.fromEntries(Array.from({ length }, (_, index) => [nameOf(index), element])) as object
    records.set(id, record)
  }
  return record
}

/** Far more than any limit; objects of that many members take long to make. */
const manyOf = (kind: ListPlace['kind']): number => (kind === 'list' ? 300_000 : 100_000)

/** What one element may cost, and the value that is shown in the error. */
const fewLooks = 200

describe('lists and records', () => {
  test('are found in many methods', () => {
    expect(places.length).toBeGreaterThan(100)
    expect(new Set(places.map(({ method }) => method)).size).toBeGreaterThan(15)
  })

  test('all have a limit in the OpenRPC document', () => {
    const without = places
      .filter(({ max }) => max === undefined)
      .map(({ method, path }) => `${method} ${path}`)
    expect(without).toEqual([])
  })

  for (const [index, place] of places.entries()) {
    const { method, path, kind, max = 0, element } = place
    test(`${method}: ${path} (${kind} of ${max})`, index % 6 === 0 ? {} : slow, async () => {
      const code = codeForTooMany(place)
      for (const [length, item] of [
        [max + 1, values.sample(element)],
        [manyOf(kind), {}],
      ] as const) {
        const { watched, value } = createWatched(place, length, item)
        const error = await callWith(place, value)
        expect([error.code, error.message]).toEqual([code, expect.stringMatching(/./)])
        expect(watched.looks, `${length} elements`).toBe(0)
        expect(error.message.length).toBeLessThan(1_001)
      }
      // What has room for anything takes it.
      if (Object.keys(values.resolve(element)).length === 0) return
      const { watched, value } = createWatched(place, max, Symbol('no JSON value'))
      const error = await callWith(place, value)
      expect(error.code).toBe(errorCodes.invalidParams)
      // Sums over what is nested look at each element once.
      expect(watched.looks, 'wrong elements').toBeLessThan(fewLooks + max)
      // A question is one of several shapes: its error names them, and not a place in one.
      if (method !== 'perihelion_callWitness')
        expect(error.message).toContain(kind === 'list' ? '.0' : '0000000')
      expect(error.message.length).toBeLessThan(1_001)
    })
  }
})
