/**
 * Measures every public page on a simulated phone, as the median of three visits, and writes lighthouse.md.
 *
 *   npm run lighthouse             all pages
 *   npm run lighthouse -- /donar   only some pages, without writing
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import lighthouse from 'lighthouse'
import { freePorts } from '../../server/test/kit/node/ports.mjs'
import { publicPages, withSite } from './running.mjs'

const RUNS = 3
const LEAST = 95
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo']
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** Visits a page with a new browser. */
async function visit(url) {
  const [port] = await freePorts(1)
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', `--remote-debugging-port=${port}`],
  })
  try {
    const { lhr } = await lighthouse(url, { port, onlyCategories: CATEGORIES, output: 'json', logLevel: 'error' })
    return {
      scores: CATEGORIES.map((category) => Math.round(lhr.categories[category].score * 100)),
      lcp: lhr.audits['largest-contentful-paint'].numericValue / 1000,
      cls: lhr.audits['cumulative-layout-shift'].numericValue,
      tbt: lhr.audits['total-blocking-time'].numericValue,
      bytes: lhr.audits['total-byte-weight'].numericValue / 1024,
      benchmark: lhr.environment.benchmarkIndex,
      failed: Object.values(lhr.audits)
        .filter((audit) => audit.score !== null && audit.score < 0.9 && ['binary', 'metricSavings'].includes(audit.scoreDisplayMode))
        .map((audit) => audit.id),
    }
  } finally {
    await browser.close()
  }
}

/** The median of several visits. */
async function measure(url) {
  const visits = []
  for (let i = 0; i < RUNS; i++) visits.push(await visit(url))
  const of = (read) => median(visits.map(read))
  return {
    scores: CATEGORIES.map((_, i) => of(({ scores }) => scores[i])),
    lcp: of((v) => v.lcp),
    cls: of((v) => v.cls),
    tbt: of((v) => v.tbt),
    bytes: of((v) => v.bytes),
    benchmark: of((v) => v.benchmark),
    failed: [...new Set(visits.flatMap((v) => v.failed))],
  }
}

const row = (path, m) =>
  `| ${path} | ${m.scores.join(' | ')} | ${m.lcp.toFixed(2)} s | ${m.cls.toFixed(3)} | ${Math.round(m.tbt)} ms | ${Math.round(m.bytes)} KB | ${Math.round(m.benchmark)} |`

const asked = process.argv.slice(2)
await withSite(async (base) => {
  const lines = []
  for (const path of asked.length > 0 ? asked : await publicPages(base)) {
    const measured = await measure(base + path)
    lines.push(row(path, measured))
    console.log(lines.at(-1))
    const low = measured.scores.some((score) => score < LEAST)
    if (low) console.error(`✗ ${path}: ${measured.failed.join(', ')}`)
    process.exitCode = low || process.exitCode ? 1 : 0
  }
  if (asked.length > 0) return
  const head = `# Lighthouse\n\nSimulated phone (Lighthouse 12, mobile defaults), median of ${RUNS} visits of the built site served by Clave; \`npm run lighthouse\` writes this file.\nThe last column is Lighthouse's own measure of how fast the machine was: figures of a busy machine are worse.\n\n`
  const table = `| page | performance | accessibility | best practices | SEO | LCP | CLS | TBT | weight | machine |\n|---|---|---|---|---|---|---|---|---|---|\n${lines.join('\n')}\n`
  await writeFile(join(import.meta.dirname, '../lighthouse.md'), head + table)
})
