import type { ComponentProps } from 'react'
import { useLocation } from 'react-router-dom'
import { prefetch } from '../loading'
import { Link } from '../components/link'

type Props = Omit<ComponentProps<typeof Link>, 'to'> & { to: string }

/** A link to a page of the site, marked if that page is open. Its chunk is loaded when the link is hovered or focused. */
export function PageLink({ to, ...rest }: Props) {
  const open = useLocation().pathname.toLowerCase() === to.toLowerCase()
  return (
    <Link to={to} aria-current={open ? 'page' : undefined} onPointerEnter={() => prefetch(to)} onFocus={() => prefetch(to)} {...rest} />
  )
}
