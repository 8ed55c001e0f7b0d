import { t } from '../i18n/es'

/** Shown while a page's chunk loads: as tall as a page, so that the footer does not move. */
export function Skeleton() {
  return (
    <div className="contenedor min-h-[80dvh] py-14" role="status">
      <span className="sr-only">{t.common.loadingPage}</span>
      <div className="hueso h-12 w-2/3 max-w-lg" />
      <div className="hueso mt-6 h-5 w-full max-w-xl" />
      <div className="hueso mt-3 h-5 w-4/5 max-w-lg" />
    </div>
  )
}
