import type { ComponentProps } from 'react'
import { NavLink } from 'react-router-dom'
import { prefetch } from '../chunks'

type Props = Omit<ComponentProps<typeof NavLink>, 'to'> & { to: string }

/** A link to a page of the site. Its chunk is loaded when the link is hovered or focused. */
export function PageLink({ to, ...rest }: Props) {
  return <NavLink to={to} end onPointerEnter={() => prefetch(to)} onFocus={() => prefetch(to)} {...rest} />
}
