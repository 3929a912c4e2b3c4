import { expect, test } from 'vitest'
import { encodeRlpList } from '../../base/encoding/rlp.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { decodeHistory } from './history.ts'

const expected = { height: 5, genesisHash: new Uint8Array(32), blockHash: new Uint8Array(32) }

test('items without end are counted and not decoded: each would take a hundred times its byte', () => {
  const many = encodeRlpList([Buffer.alloc(2 ** 20 + 1, 1)])
  expect(() => decodeHistory(many, {} as ChainConfig, expected)).toThrow('more than 1048576 items')
})
