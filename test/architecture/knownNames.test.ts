import { expect, test } from 'vitest'
import { methods } from '../../src/api/methods.ts'
import { forks } from '../../src/chain/config/forks.ts'
import { forkNames, namespaces } from '../../src/config/settings/known.ts'
import { namespacesOf } from '../../src/rpc/dispatch/table.ts'

// The table of settings imports nothing of the program, so what it knows of it is compared here.

test('the setting fork-name knows the forks of the chain', () => {
  expect(forkNames).toEqual(forks)
})

test('the setting json-rpc.api knows the namespaces of the methods', () => {
  expect(namespaces).toEqual(namespacesOf(methods))
})
