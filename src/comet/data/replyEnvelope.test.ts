import { describe, expect, it } from 'vitest'
import { limitsOf, maxReplyBytes, parseResponse, parseResponses, peekId } from './replyEnvelope.ts'

const reply = (result: string): Buffer => Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)

const nothings = (count: number): string => `[${'{},'.repeat(count)}{}]`

describe('replies of a node', () => {
  it('are parsed as large as they are, if they have few values', () => {
    const text = JSON.stringify('x'.repeat(5_000_000))
    expect(parseResponse(reply(text)).result).toHaveLength(5_000_000)
  })

  it('are rejected before they are parsed if they have millions of values', () => {
    expect(() => parseResponse(reply(`[${'[],'.repeat(2_000_000)}[]]`))).toThrow('more than 2000000 values')
  })

  it('may have as many values as their method is good for', () => {
    for (const [method, values] of [
      ['status', 1_000],
      ['abci_query', 10_000],
      ['net_info', 100_000],
    ] as const) {
      expect(() => parseResponse(reply(nothings(values)), method)).toThrow(
        `a reply to ${method} has more than ${values} values`,
      )
      expect(parseResponse(reply(nothings(values / 2)), method).id).toBe(1)
    }
    expect(parseResponse(reply(nothings(200_000)), 'block').id).toBe(1)
  })

  it('may have as many values as all calls of a batch together', () => {
    const batch = (calls: number): Buffer =>
      Buffer.from(
        JSON.stringify(
          Array.from({ length: calls }, (_, id) => ({ jsonrpc: '2.0', id, result: Array(900).fill(0) })),
        ),
      )
    expect(parseResponses(batch(5), 'status', 5).map(({ id }) => id)).toEqual([0, 1, 2, 3, 4])
    expect(() => parseResponses(batch(5), 'status', 4)).toThrow('more than 4000 values')
    expect(parseResponses(reply('[]'), 'status', 1)).toEqual([{ id: 1, result: [], error: undefined }])
  })

  it('have limits by method that hold before those of a line do', () => {
    const large = ['block', 'block_results']
    for (const method of [
      'status',
      'abci_query',
      'unconfirmed_txs',
      'tx',
      'net_info',
      'one that is not known',
    ])
      expect(limitsOf(method).bytes, method).toBeLessThan(maxReplyBytes)
    for (const method of large) expect(limitsOf(method).bytes, method).toBe(Number.POSITIVE_INFINITY)
  })

  it('are told apart before they are parsed', () => {
    expect(peekId(Buffer.from('{"jsonrpc":"2.0","id":17,"result":{}}'))).toBe(17)
    expect(peekId(Buffer.from('{ "jsonrpc": "2.0", "id": 17, "result": {} }'))).toBe(17)
    expect(peekId(Buffer.from('{"result":{},"jsonrpc":"2.0","id":17}'))).toBeUndefined()
  })
})
