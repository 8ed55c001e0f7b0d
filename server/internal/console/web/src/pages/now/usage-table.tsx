import type { Usage } from '../../api/now'
import { useText } from '../../i18n/text'
import { bytesText } from '../../lib/bytes'

/** What production would bill: the patterns of collections with the most reads, and the sum of all. */
export function UsageTable({ usage }: { usage: Usage }) {
  const { t, time, number, language } = useText()
  const { total, top, since, prices } = usage
  const heads = [t.now.billedReads, t.now.writes, t.now.billedDeletes, t.now.sent, ...(prices ? [prices.currency] : [])]
  const costs = (cost: number) =>
    new Intl.NumberFormat(language, cost < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }).format(cost)
  const cells = ({ reads, writes, deletes, ttlDeletes, sentBytes, cost }: Usage['total']) =>
    [number(reads), number(writes), number(deletes + ttlDeletes), bytesText(sentBytes, number), ...(prices ? [costs(cost ?? 0)] : [])].map(
      (text, i) => (
        <td key={i} className="number tight" data-head={heads[i]}>
          {text}
        </td>
      ),
    )
  return (
    <section className="stack" aria-label={t.now.usage}>
      <div className="page-head">
        <h2>{t.now.usage}</h2>
        <span className="soft">
          {t.now.usageHint(time(since))} {prices && t.now.pricesHint([prices.date, prices.location].filter(Boolean).join(', '))}
        </span>
      </div>
      {top.length === 0 ? (
        <p className="soft">{t.now.noUsage}</p>
      ) : (
        <div className="scroll-x" tabIndex={0} role="group" aria-label={t.now.usage}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{t.now.collections}</th>
                {heads.map((name) => (
                  <th key={name} scope="col" className="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {top.map((row) => (
                <tr key={row.pattern}>
                  <td className="mono wrap">{row.pattern}</td>
                  {cells(row)}
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{t.common.all}</th>
                {cells(total)}
              </tr>
            </tfoot>
          </table>
        </div>
      )}
    </section>
  )
}
