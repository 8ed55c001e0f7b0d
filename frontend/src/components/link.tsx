import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { type To, useHref, useLinkClickHandler } from 'react-router-dom'

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { to: To; replace?: boolean; preventScrollReset?: boolean }

/**
 * A link to a page of the site. It is made of the router's hooks: React Router's own link contains the prefetching of its framework mode,
 * which is 4.2 kB of each page.
 */
export function Link({ to, replace = false, preventScrollReset = false, onClick, children, ...rest }: Props) {
  const href = useHref(to)
  const go = useLinkClickHandler<HTMLAnchorElement>(to, { replace, preventScrollReset })
  const press = (gesture: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(gesture)
    if (!gesture.defaultPrevented) go(gesture)
  }
  return (
    <a {...rest} href={href} onClick={press}>
      {children}
    </a>
  )
}
