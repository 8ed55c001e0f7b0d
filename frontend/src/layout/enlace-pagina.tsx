import type { ComponentProps } from 'react'
import { NavLink } from 'react-router-dom'
import { adelantar } from '../rutas'

type Props = Omit<ComponentProps<typeof NavLink>, 'to'> & { to: string }

/** A link to a page of the site, whose chunk is fetched as soon as the link is hovered or focused. */
export function EnlacePagina({ to, ...resto }: Props) {
  return <NavLink to={to} end onPointerEnter={() => adelantar(to)} onFocus={() => adelantar(to)} {...resto} />
}
