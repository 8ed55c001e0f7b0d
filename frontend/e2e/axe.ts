import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The conditions of the checks: a phone and a desktop, each in both themes. */
const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1280, height: 800 }

/** The screens on which a state exists: the menu only on a phone, the dropdowns only on a desktop, most states on both. */
export const EN = { phone: [PHONE], desktop: [DESKTOP], all: [PHONE, DESKTOP] } as const

/** Checks for violations of all rules (except in frames of other sites) and for horizontal scrolling, in both themes. */
export async function review(page: Page, state: string, sizes: readonly { width: number; height: number }[] = EN.all): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size)
    // What the fixed bar covers has too small a target for axe, wherever the page happens to be scrolled to.
    await page.evaluate(() => scrollTo(0, 0))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const axe = new AxeBuilder({ page })
        .exclude('iframe')
        .setLegacyMode()
        .options({ resultTypes: ['violations'] })
      // Contrast is the only rule that depends on the theme.
      const { violations } = await (colorScheme === 'light' ? axe.withTags(TAGS) : axe.withRules('color-contrast')).analyze()
      const faults = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
      expect(faults, `${state}, ${size.width} px, ${colorScheme}`).toEqual([])
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, `${state}, ${size.width} px`).toBeLessThanOrEqual(size.width)
  }
}
