import { Link } from '../components/link'
import { buttonClasses } from '../components/button-classes'
import { Section } from '../components/section'
import { inicio } from '../content/inicio'
import { Newsletter } from '../features/newsletter/newsletter'
import { Strip } from '../features/home/strip'
import { Gallery } from '../features/home/gallery'
import { Figures } from '../features/home/figures'
import { Upcoming } from '../features/home/upcoming'
import { Testimonials } from '../features/home/testimonials'

/** The introduction beside the art, or below it on narrow screens. Neither covers the other (F-102). */
function Introduction() {
  return (
    <div className="presentacion-texto">
      <div className="presentacion-caja">
        <div className="grid gap-y-4">
          <h1 className="titulo-1">{inicio.title}</h1>
          <p className="entrada">{inicio.about}</p>
          <p className="font-titular text-acento text-xl font-bold">{inicio.motto}</p>
          <div className="mt-2 flex flex-wrap gap-3">
            <Link to="/donar" className={`${buttonClasses('primario')} max-sm:grow max-sm:px-4`}>
              {inicio.donar}
            </Link>
            <Link to="/informacion" className={`${buttonClasses()} max-sm:grow max-sm:px-4`}>
              {inicio.meetUs}
            </Link>
          </div>
        </div>
      </div>
    </div>
  )
}

/** /: the foundation, the next events, and how to participate. */
export default function Home() {
  return (
    <>
      <div className="presentacion">
        <Gallery />
        <Introduction />
      </div>
      <Figures />
      <Upcoming />
      <Section title={inicio.testimonials.title}>
        <Testimonials />
      </Section>
      <Strip />
      <Newsletter />
    </>
  )
}
