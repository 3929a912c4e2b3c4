import type { Page } from 'playwright-core'

interface Message {
  readonly id: number
  readonly method: string
  readonly params?: readonly never[]
  result?: unknown
  error?: unknown
}

/** An error that a change throws in order to have the node answer with it. */
export class Refusal extends Error {
  readonly data: unknown

  constructor(message: string, data?: unknown) {
    super(message)
    this.data = data
  }
}

/** What becomes of a method's result, which is undefined where the node answered with an error. */
export type Changes = Readonly<Record<string, (result: never, params: readonly never[]) => unknown>>

const applyChange = async (answer: Message, change: Changes[string], params: readonly never[]) => {
  try {
    // Sound, since each change is written for its method.
    answer.result = await change(answer.result as never, params)
    answer.error = undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    answer.result = undefined
    answer.error = { code: -32_000, message: error.message, data: error.data }
  }
}

/** Changes what the node answers to single methods on the way to the page. */
export const distort = async (page: Page, changes: Changes): Promise<void> => {
  await page.route(
    ({ pathname }) => pathname === '/',
    async (route) => {
      const body = route.request().postData()
      if (body === null || !Object.keys(changes).some((method) => body.includes(`"${method}"`)))
        return route.fallback()
      const calls = [JSON.parse(body)].flat() as Message[]
      // A page that is closed meanwhile wants no answer.
      const json = await route.fetch().then(
        (response) => response.json().catch(() => undefined),
        () => undefined,
      )
      if (json === undefined) return
      for (const answer of [json].flat() as Message[]) {
        const { method = '', params = [] } = calls.find(({ id }) => id === answer.id) ?? {}
        const change = changes[method]
        if (change !== undefined) await applyChange(answer, change, params)
      }
      await route.fulfill({ json }).catch(() => {})
    },
  )
}
