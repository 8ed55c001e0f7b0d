import { PageHeader } from '../components/page-header'
import { contacto } from '../content/contacto'
import { ContactForm } from '../features/contact/contact-form'
import { MapSection } from '../features/contact/map-section'
import { ContactCards } from '../features/contact/contact-cards'

/** /contacto: every way to reach the foundation. */
export default function ContactInfo() {
  return (
    <>
      <PageHeader title={contacto.title} entry={contacto.entry} image="cabecera-contacto" />
      <div className="contenedor seccion grid gap-12 lg:grid-cols-2 lg:gap-16">
        <section aria-labelledby="titulo-formulario" className="hoja hoja-carta">
          <h2 id="titulo-formulario" className="titulo-2 mb-6">
            {contacto.form}
          </h2>
          <ContactForm />
        </section>
        <section aria-labelledby="titulo-datos" className="lg:flex lg:flex-col">
          <h2 id="titulo-datos" className="titulo-2 mb-6">
            {contacto.data}
          </h2>
          <ContactCards />
        </section>
      </div>
      <MapSection />
    </>
  )
}
