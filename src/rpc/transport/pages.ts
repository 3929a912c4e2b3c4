/** The content of a page that is served to GET: health, metrics or the OpenRPC document. */
export interface PageContent {
  readonly status: number
  readonly type: string
  readonly body: string
}

export type Page = () => Promise<PageContent>

export class Pages {
  readonly #byPath: ReadonlyMap<string, Page>

  constructor(pages: Readonly<Record<string, Page>>) {
    this.#byPath = new Map(Object.entries(pages))
  }

  find(url: string | undefined): Page | undefined {
    return this.#byPath.get((url ?? '').split('?', 1)[0] as string)
  }
}

export const jsonPage = (status: number, value: unknown): PageContent => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
})
