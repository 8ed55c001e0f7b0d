import { type ComponentType, createElement, lazy } from 'react'

/** Functions that replace components whose code could not be loaded. */
const failed = new Set<() => void>()

/**
 * A component whose code is loaded at its first rendering, like that of React's lazy. lazy keeps an error for as long as
 * the page is open. This component loads its code again at the first rendering after renewFailed.
 */
export function renewable<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  const begin = () =>
    lazy(async () => {
      try {
        return await load()
      } catch (error) {
        failed.add(() => {
          Current = begin()
        })
        throw error
      }
    })
  let Current: ComponentType<P> = begin()
  return function Renewable(props: P) {
    return createElement(Current, props)
  }
}

/** Lets components whose code could not be loaded load it again. They must not be rendered while they show their error. */
export function renewFailed(): void {
  for (const renew of failed) renew()
  failed.clear()
}
