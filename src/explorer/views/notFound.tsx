import { Heading, useTitle } from '../parts/layout.tsx'
import { linkTo } from '../route.ts'

export const NotFound = () => {
  useTitle('Nothing here')
  return (
    <>
      <Heading kind="Nothing here" />
      <p>
        There is no such view. <a href={linkTo('')}>To the overview</a>
      </p>
    </>
  )
}
