import { useState } from 'react'
import { Plate } from '../../art/plate'
import { buttonClasses } from '../../components/button-classes'
import { Dialog } from '../../components/dialog'
import { type Program, programas } from '../../content/programas'
import { PageLink } from '../../layout/page-link'
import { EnrolLink, ProgramDetails } from './program-details'

const INKS = ['coral', 'mar', 'sol'] as const

type CardProps = { program: Program; ink: (typeof INKS)[number]; isFirst: boolean; onOpen: () => void }

/** A program's card. */
function ProgramCard({ program, ink, isFirst, onOpen }: CardProps) {
  return (
    <li className="estampa relative">
      <Plate slot={program.slot} ink={ink} sizes="(min-width: 768px) 373px, 100vw" priority={isFirst} />
      <div className="estampa-texto">
        <p className="etiqueta self-start">{program.detail}</p>
        <h3 className="titulo-3 mt-3">
          <PageLink to={`/programas/${program.id}`} className="enlace-titulo estirado -my-2.5 inline-flex min-h-11 items-center">
            {program.title}
          </PageLink>
        </h3>
        <p className="mt-2 mb-5">{program.description}</p>
        <button
          type="button"
          className={`${buttonClasses('secundario')} solo-vivo sobre-estirado self-start lg:mt-auto`}
          aria-haspopup="dialog"
          onClick={onOpen}
        >
          {programas.seeDetails}
          <span className="sr-only"> {program.title}</span>
        </button>
      </div>
    </li>
  )
}

/** The three featured programs; at most one dialog is open. */
export function FeaturedPrograms() {
  const [open, setOpen] = useState<Program | null>(null)
  return (
    <>
      <ul className="grid gap-x-8 gap-y-14 lg:grid-cols-3">
        {programas.list.map((program, i) => (
          <ProgramCard key={program.id} program={program} ink={INKS[i % 3] ?? 'coral'} isFirst={i === 0} onOpen={() => setOpen(program)} />
        ))}
      </ul>
      <Dialog kind="page" open={open !== null} onClose={() => setOpen(null)} title={open?.title ?? ''}>
        {open ? (
          <div className="flex flex-col gap-4">
            <ProgramDetails program={open} />
            <div className="mt-2 flex flex-wrap items-center gap-x-6 gap-y-3">
              <EnrolLink program={open} />
              <PageLink className="enlace inline-flex min-h-11 items-center" to={`/programas/${open.id}`}>
                {programas.page}
              </PageLink>
            </div>
          </div>
        ) : null}
      </Dialog>
    </>
  )
}
