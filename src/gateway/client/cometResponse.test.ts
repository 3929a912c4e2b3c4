import { describe, expect, it } from 'vitest'
import { parseResponse } from './cometResponse.ts'

const reply = (result: string): Buffer => Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)

describe('replies of a node', () => {
  it('are parsed as large as they are, if they have few values', () => {
    const text = JSON.stringify('x'.repeat(5_000_000))
    expect(parseResponse(reply(text)).result).toHaveLength(5_000_000)
  })

  it('are refused before they are parsed if they have millions of values', () => {
    expect(() => parseResponse(reply(`[${'[],'.repeat(2_000_000)}[]]`))).toThrow('more than 2000000 values')
  })
})
