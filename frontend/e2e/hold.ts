import type { Page, Route } from '@playwright/test'

/** Holds the requests to an address until the returned function is called. Then each is answered. */
export async function holdRequests(
  page: Page,
  address: string | RegExp,
  answer: (route: Route) => Promise<void> = (route) => route.continue(),
): Promise<() => void> {
  let release = () => undefined as void
  const held = new Promise<void>((ready) => {
    release = ready
  })
  await page.route(address, async (route) => {
    await held
    await answer(route)
  })
  return () => release()
}
