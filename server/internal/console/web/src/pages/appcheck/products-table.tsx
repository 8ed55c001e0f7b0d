import { MODES, type Mode, type Product, setMode } from '../../api/app-check'
import { useText } from '../../i18n/text'
import { useAction } from '../../lib/use-action'
import { Problem } from '../../ui/states'
import { ListTable } from '../../ui/table'
import { useToast } from '../../ui/toasts'

const TONES = { OFF: '', UNENFORCED: 'warn', ENFORCED: 'good' } as const

/** The products with their modes, which writing sessions change, and the numbers of requests by their tokens. */
export function ProductsTable({ products, write, changed }: { products: Product[]; write: boolean; changed: () => void }) {
  const { t, number } = useText()
  const { busy, error, run } = useAction()
  const toast = useToast()
  const names: Record<string, string> = t.appcheck.products
  const change = (service: string, mode: Mode | undefined) =>
    void run(async () => {
      if (!mode) return
      await setMode(service, mode)
      toast(t.users.saved)
      changed()
    })
  const heads = [
    t.appcheck.product,
    t.appcheck.mode,
    { text: t.appcheck.valid, as: 'number' },
    { text: t.appcheck.invalid, as: 'number' },
    { text: t.appcheck.missing, as: 'number' },
  ] as const
  return (
    <>
      <ListTable label={t.pages.appcheck} heads={heads}>
        {products.map(({ service, mode, counts }) => (
          <tr key={service}>
            <td>{names[service] ?? service}</td>
            <td className="tight state">
              {write ? (
                <select
                  aria-label={t.appcheck.modeOf(names[service] ?? service)}
                  value={mode}
                  disabled={busy}
                  onChange={(event) =>
                    change(
                      service,
                      MODES.find((one) => one === event.target.value),
                    )
                  }
                >
                  {MODES.map((one) => (
                    <option key={one} value={one}>
                      {t.appcheck.modes[one]}
                    </option>
                  ))}
                </select>
              ) : (
                <span className={`tag ${TONES[mode]}`}>{t.appcheck.modes[mode]}</span>
              )}
            </td>
            {(
              [
                ['valid', counts.valid],
                ['invalid', counts.invalid],
                ['missing', counts.missing],
              ] as const
            ).map(([name, n]) => (
              <td key={name} className="number tight" data-head={t.appcheck[name]}>
                {number(n)}
              </td>
            ))}
          </tr>
        ))}
      </ListTable>
      {error !== null && <Problem error={error} />}
    </>
  )
}
