interface Weakness {
  readonly name: string
  readonly severity: string
  readonly title: string
}

interface AuditReport {
  readonly message?: string
  readonly vulnerabilities?: Readonly<
    Record<
      string,
      { readonly severity: string; readonly via: readonly (string | { readonly title: string })[] }
    >
  >
}

/** Reads what `npm audit --json` printed: what it knows of some packages, or why it knows nothing. */
export const findWeaknesses = (
  output: string,
  names: readonly string[],
): { readonly weaknesses: readonly Weakness[] } | { readonly away: string } => {
  let report: AuditReport
  try {
    report = JSON.parse(output)
  } catch {
    return { away: 'npm printed no JSON' }
  }
  const { vulnerabilities } = report
  if (vulnerabilities === undefined) return { away: report.message ?? 'npm printed no list' }
  const weaknesses = names.flatMap((name) => {
    const entry = Object.hasOwn(vulnerabilities, name) ? vulnerabilities[name] : undefined
    if (entry === undefined) return []
    const titles = entry.via.map((via) => (typeof via === 'string' ? `through ${via}` : via.title))
    return [{ name, severity: entry.severity, title: titles.join('; ') }]
  })
  return { weaknesses }
}
