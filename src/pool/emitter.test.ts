import { expect, test } from 'vitest'
import { Emitter } from './emitter.ts'

test('a listener that throws is reported, and stops neither the others nor the emitter', () => {
  const errors: unknown[] = []
  const heard: string[] = []
  const emitter = new Emitter<{ head: number }>((error) => errors.push(error))
  const failure = new Error('a listener failed')
  emitter.on('head', (number) => heard.push(`first ${number}`))
  emitter.on('head', () => {
    throw failure
  })
  const stop = emitter.on('head', (number) => heard.push(`last ${number}`))
  emitter.emit('head', 1)
  stop()
  emitter.emit('head', 2)
  expect(heard).toEqual(['first 1', 'last 1', 'first 2'])
  expect(errors).toEqual([failure, failure])
})
