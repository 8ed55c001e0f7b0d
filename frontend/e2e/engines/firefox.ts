import { existsSync } from 'node:fs'
import puppeteer from 'puppeteer-core'
import type { Engine, Tab } from './tab'

const FIREFOX = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr'

/** Starts Firefox without a window; puppeteer drives it by WebDriver BiDi, which needs no further driver. */
async function start(): Promise<Tab> {
  const env = { ...process.env, TZ: 'America/Santo_Domingo' }
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX, env })
  const page = await browser.newPage()
  return {
    open: async (url) => void (await page.goto(url)),
    run: (script, args) => page.evaluate(`(function () { ${script} })(...${JSON.stringify(args)})`),
    click: (x, y) => page.mouse.click(x, y),
    type: (text) => page.keyboard.type(text),
    press: async (key, control = false) => {
      if (control) await page.keyboard.down('Control')
      await page.keyboard.press(key)
      if (control) await page.keyboard.up('Control')
    },
    resize: (size) => page.setViewport(size),
    close: () => browser.close(),
  }
}

export const firefox: Engine = { name: 'Firefox', missing: existsSync(FIREFOX) ? '' : 'firefox-esr', start }
