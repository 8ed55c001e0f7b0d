import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const ETIQUETAS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What a page is looked at in: a phone and a desk, each in both themes. */
const TELEFONO = { width: 360, height: 740 }
const ESCRITORIO = { width: 1280, height: 800 }

/** Where a state exists: the menu on a phone alone, the dropdowns on a desk alone, most of them everywhere. */
export const EN = { telefono: [TELEFONO], escritorio: [ESCRITORIO], todas: [TELEFONO, ESCRITORIO] } as const

/** No violation (no rule is left out; a frame is somebody else's page) and no sideways scroll, in both themes. */
export async function revisar(page: Page, estado: string, tamanos: readonly { width: number; height: number }[] = EN.todas): Promise<void> {
  for (const tamano of tamanos) {
    await page.setViewportSize(tamano)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const axe = new AxeBuilder({ page }).exclude('iframe').setLegacyMode()
      // Of all rules, contrast alone depends on the theme.
      const { violations } = await (colorScheme === 'light' ? axe.withTags(ETIQUETAS) : axe.withRules('color-contrast')).analyze()
      const faltas = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
      expect(faltas, `${estado}, ${tamano.width} px, ${colorScheme}`).toEqual([])
    }
    const ancho = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(ancho, `${estado}, ${tamano.width} px`).toBeLessThanOrEqual(tamano.width)
  }
}
