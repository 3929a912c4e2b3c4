import { expect, test } from 'vitest'
import { parseConsensusState, parseNetInfo, parseTxLocation } from './replies.ts'
import { UpstreamError } from './upstreamError.ts'

const stateWith = (...heights: readonly unknown[]) => ({
  round_state: { height: '13', step: 8 },
  peers: heights.map((height) => ({ peer_state: { round_state: { height } } })),
})

test('where consensus is, and what peers say of themselves as far as it can be', () => {
  expect(parseConsensusState(stateWith('14', '0', 'x', '-1', '99999999999999999999', '7'))).toEqual({
    height: 13,
    step: 8,
    peerHeights: [14, 0, 7],
  })
  expect(parseConsensusState({ ...stateWith(), peers: null }).peerHeights).toEqual([])
  for (const reply of [null, {}, { round_state: { height: '0', step: 1 } }, stateWith(5)])
    expect(() => parseConsensusState(reply)).toThrow(UpstreamError)
})

test('where a transaction is', () => {
  expect(parseTxLocation({ height: '9', index: 2, hash: 'AA' })).toEqual({ number: 9, index: 2 })
  for (const reply of [undefined, { height: 9, index: 2 }, { height: '9', index: '2' }])
    expect(() => parseTxLocation(reply)).toThrow(UpstreamError)
})

const peerWith = (info: object) => ({
  node_info: { id: 'aa', moniker: 'm', network: 'n', version: '1', listen_addr: 'tcp://a', ...info },
  is_outbound: true,
  remote_ip: '10.0.0.1',
})

test('a peer that names itself with very long texts hides no other peer', () => {
  const long = 'x'.repeat(10_000)
  const peers = [peerWith({ moniker: long, version: long, listen_addr: long }), peerWith({})]
  const reply = { listening: true, peers }
  const [shortened, other] = parseNetInfo(reply).peers
  const cut = 'x'.repeat(1_024)
  expect(shortened).toMatchObject({ id: 'aa', moniker: cut, version: cut, listenAddress: cut })
  expect(other).toMatchObject({ moniker: 'm', version: '1', listenAddress: 'tcp://a' })
  for (const wrong of [{ moniker: 5 }, { id: long }, { network: long }])
    expect(() => parseNetInfo({ listening: true, peers: [peerWith(wrong)] })).toThrow(UpstreamError)
})
