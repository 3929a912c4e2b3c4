import { Heading, useTitle } from '../parts/layout.tsx'
import { linkTo } from '../route.ts'
import { texts } from '../texts.ts'

export const NotFound = () => {
  useTitle(texts.notFound.title)
  return (
    <>
      <Heading kind={texts.notFound.title} />
      <p>
        {texts.notFound.about} <a href={linkTo('')}>{texts.notFound.home}</a>
      </p>
    </>
  )
}
