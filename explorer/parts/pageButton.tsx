import type { ComponentChildren } from 'preact'

interface PageButtonProps {
  readonly link: string | undefined
  /** What it is called where it shows an arrow alone. */
  readonly label?: string
  readonly children: ComponentChildren
}

/** A link to the page before or after; where there is none, a button that does nothing. */
export const PageButton = ({ link, label, children }: PageButtonProps) =>
  link === undefined ? (
    <button type="button" class="button small" disabled aria-label={label}>
      {children}
    </button>
  ) : (
    <a class="button small" href={link} aria-label={label}>
      {children}
    </a>
  )
