/** Each line that a page shows has to be in what was printed, in this order; `…` stands for anything. */
export const assertPrinted = (shown: string, printed: string): void => {
  let from = 0
  const lines = printed.split('\n').map((line) => line.trimEnd())
  for (const line of shown.split('\n').filter((text) => text.trim() !== '')) {
    const pattern = line
      .trimEnd()
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')
    const at = lines.findIndex((text, index) => index >= from && new RegExp(`^${pattern}$`).test(text))
    if (at < 0) throw new Error(`the page says that this is printed:\n${line}\n--- and it was:\n${printed}`)
    from = at + 1
  }
}
