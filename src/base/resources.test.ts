import { describe, expect, test } from 'vitest'
import { CloseError, ResourceStack } from './resources.ts'

const never = (error: unknown): never => {
  throw error
}

describe('a stack of resources', () => {
  test('closes the newest first, one after the other', async () => {
    const resources = new ResourceStack()
    const closed: string[] = []
    for (const name of ['store', 'thread', 'server'])
      resources.own(name, async () => {
        closed.push(`${name} begins`)
        await Promise.resolve()
        closed.push(`${name} ends`)
      })
    await resources.closeAll()
    expect(closed).toEqual([
      ...['server begins', 'server ends', 'thread begins', 'thread ends'],
      ...['store begins', 'store ends'],
    ])
  })

  test('closes each once, however often it is asked', async () => {
    const resources = new ResourceStack()
    let count = 0
    resources.own('thread', () => void count++)
    await Promise.all([resources.closeAll(), resources.closeAll()])
    await resources.closeAll()
    expect(count).toBe(1)
  })

  test('goes on after an error, which is reported with the name of the resource', async () => {
    const resources = new ResourceStack()
    const closed: string[] = []
    resources.own('store', () => void closed.push('store'))
    resources.own('thread', () => {
      throw new Error('it hangs')
    })
    resources.own('server', () => void closed.push('server'))
    const error = await resources.closeAll().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CloseError)
    expect((error as Error).message).toBe('thread could not be closed: it hangs')
    expect(closed).toEqual(['server', 'store'])
  })

  test('reports all errors if there are several', async () => {
    const resources = new ResourceStack()
    resources.own('store', () => Promise.reject(new Error('full')))
    resources.own('thread', () => Promise.reject(new Error('gone')))
    const error = (await resources.closeAll().catch((thrown: unknown) => thrown)) as AggregateError
    expect(error).toBeInstanceOf(AggregateError)
    expect(error.errors.map(({ message }) => message)).toEqual([
      'thread could not be closed: gone',
      'store could not be closed: full',
    ])
  })

  test('closes what is opened while it closes or later, and tells who opened it', async () => {
    const resources = new ResourceStack()
    const closed: string[] = []
    const open = (name: string): void =>
      expect(() => resources.own(name, () => void closed.push(name))).toThrow(
        `${name} was opened while everything was being closed`,
      )
    resources.own('store', () => void closed.push('store'))
    resources.own('thread', () => open('late'))
    await resources.closeAll()
    expect(closed).toEqual(['late', 'store'])
    open('later')
    await resources.closeAll()
    expect(closed).toEqual(['late', 'store', 'later'])
  })

  test('tells whoever closes it next of what was opened late and could not be closed', async () => {
    const resources = new ResourceStack()
    await resources.closeAll()
    const refuse = () => Promise.reject(new Error('it hangs'))
    expect(() => resources.own('thread', refuse)).toThrow()
    await expect(resources.closeAll()).rejects.toThrow('thread could not be closed: it hangs')
  })
})

describe('a guarded opening', () => {
  test('gives what was opened and leaves it open', async () => {
    let isClosed = false
    const resources = await ResourceStack.guard(async (stack) => {
      stack.own('thread', () => {
        isClosed = true
      })
      return stack
    }, never)
    expect(isClosed).toBe(false)
    await resources.closeAll()
    expect(isClosed).toBe(true)
  })

  test('that fails closes everything before it throws the first error', async () => {
    const closed: string[] = []
    const failure = new Error('no port')
    const untold: unknown[] = []
    const opening = ResourceStack.guard(
      async (stack) => {
        stack.own('store', () => void closed.push('store'))
        stack.own('thread', () => Promise.reject(new Error('it hangs')))
        throw failure
      },
      (error) => untold.push(error),
    )
    await expect(opening).rejects.toBe(failure)
    expect(closed).toEqual(['store'])
    expect(untold.map((error) => (error as Error).message)).toEqual(['thread could not be closed: it hangs'])
  })
})
