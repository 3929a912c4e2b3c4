const storedNode = 'node'

/** What a node responded, readable if it is JSON. */
const readable = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const send = async (url: string, request: string): Promise<string> => {
  try {
    JSON.parse(request)
  } catch (error) {
    return `The request is invalid JSON: ${(error as Error).message}` // JSON.parse throws an Error
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: request,
    })
    return readable(await response.text())
  } catch {
    return [
      `No response from ${url} that this page may read.`,
      `Check that the node runs and that its setting json-rpc.cors has the origin of this page: ${location.origin}`,
    ].join('\n')
  }
}

/** Lets the reader send the requests of a page to a node. */
export const enableExamples = (): void => {
  const node = document.querySelector<HTMLInputElement>('#node')
  if (node === null) return
  node.value = localStorage.getItem(storedNode) ?? node.value
  node.addEventListener('change', () => localStorage.setItem(storedNode, node.value))
  for (const example of document.querySelectorAll('.example')) {
    const request = example.querySelector('textarea')
    const response = example.querySelector<HTMLElement>('.response')
    if (request === null || response === null) continue
    example.querySelector('button')?.addEventListener('click', async () => {
      response.hidden = false
      response.textContent = '…'
      response.textContent = await send(node.value, request.value)
    })
  }
}
