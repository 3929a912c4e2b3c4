import { linkTo } from '../page/route.ts'
import { Heading, useTitle } from '../parts/layout.tsx'
import { texts } from '../texts/texts.ts'

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
