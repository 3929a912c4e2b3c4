import { expect, test } from 'vitest'
import { Quarantine } from './quarantine.ts'

const minute = 60_000

test('a quarantine ends by health, unless it is for a lie', () => {
  const [suspect, liar] = [new Quarantine(), new Quarantine()]
  suspect.begin('it said what cannot be', 0)
  liar.begin('it lied', 0, true)
  const probes = Array.from({ length: 10 }, (_, at) => at * 1_000)
  expect(probes.map((now) => suspect.onProbe(true, now))).toContain(true)
  expect(probes.map((now) => liar.onProbe(true, now))).not.toContain(true)
  expect(suspect.reason(10_000)).toBeUndefined()
  expect(liar.reason(minute - 1)).toBe('it lied')
  expect(liar.reason(minute)).toBeUndefined()
})

test('many calls that fail at once are one quarantine', () => {
  const suspect = new Quarantine()
  expect(suspect.begin('a bad frame', 0)).toBe(minute)
  for (let call = 0; call < 64; call++) expect(suspect.begin('a bad frame', call)).toBeUndefined()
  expect(suspect.count).toBe(1)
  expect(suspect.reason(minute - 1)).toBe('a bad frame')
  expect(suspect.reason(minute)).toBeUndefined()
  // The next one is the first relapse.
  expect(suspect.begin('a bad frame', 2 * minute)).toBe(2 * minute)
  expect(suspect.count).toBe(2)
})

test('a suspicion that becomes a proven lie starts over, once', () => {
  const node = new Quarantine()
  node.begin('it said what cannot be', 0)
  expect(node.begin('it lied', 1_000, true)).toBe(minute)
  expect(node.begin('it lied', 2_000, true)).toBeUndefined()
  expect(node.isForLie(minute + 999)).toBe(true)
  expect(node.reason(minute + 1_000)).toBeUndefined()
  expect(node.count).toBe(1)
})

test('a liar that is then suspected too does not leave early', () => {
  const liar = new Quarantine()
  liar.begin('it lied', 0, true)
  liar.begin('it said what cannot be', 1_000)
  for (let at = 0; at < 100; at++) expect(liar.onProbe(true, 2_000 + at)).toBe(false)
  // After its time it is a node like others.
  liar.begin('it said what cannot be', 10 * minute)
  expect(Array.from({ length: 100 }, (_, at) => liar.onProbe(true, 10 * minute + at))).toContain(true)
})
