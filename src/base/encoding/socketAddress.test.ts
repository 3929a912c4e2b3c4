import { describe, expect, it } from 'vitest'
import { formatSocketAddress, parseSocketAddress } from './socketAddress.ts'

describe('parseAddress', () => {
  it.each(['unix:///run/app.sock', 'tcp://127.0.0.1:26658', 'tcp://[::1]:0', 'tcp://node.example:26658'])(
    'reads %s and writes it again',
    (text) => {
      const address = parseSocketAddress(text)
      expect(address && formatSocketAddress(address)).toBe(text)
    },
  )

  it.each(['', 'unix://', 'unix://relative', 'tcp://host', 'tcp://host:99999', 'http://host:1', 'host:1'])(
    'rejects %j',
    (text) => expect(parseSocketAddress(text)).toBeUndefined(),
  )
})
