import { expect, test } from 'vitest'
import { GasTooLowError } from './callEnvironment.ts'
import { MessageError } from './callMessage.ts'

test('an error of too little gas is one of the message, by its own name', () => {
  const error = new GasTooLowError('intrinsic gas too low')
  expect(error).toBeInstanceOf(MessageError)
  expect(error.name).toBe('GasTooLowError')
})
