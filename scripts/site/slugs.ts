/** Makes the names by which the headings of one page can be linked to, as GitHub makes them. */
export const createSlugger = (): ((heading: string) => string) => {
  const used = new Set<string>()
  return (heading) => {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    let slug = name
    for (let count = 1; used.has(slug); count++) slug = `${name}-${count}`
    used.add(slug)
    return slug
  }
}
