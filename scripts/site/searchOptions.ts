/** How the search index is built and read. The build and the page must agree. */
export const searchOptions = {
  fields: ['title', 'text'],
  storeFields: ['title', 'page', 'excerpt'],
  searchOptions: {
    boost: { title: 4 },
    // Readers look for pages first.
    boostDocument: (id: string) => (id.startsWith('docs/decisions/') ? 0.3 : 1),
    combineWith: 'AND' as const,
    prefix: true,
    fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  },
}
