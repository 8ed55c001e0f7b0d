import { Plate } from '../art/plate'
import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { Questions } from '../components/questions'
import { Section } from '../components/section'
import { Steps } from '../components/steps'
import { voluntarios } from '../content/voluntarios'
import { VolunteerForm } from '../features/volunteers/volunteer-form'

/** The benefits of volunteers. */
function Benefits() {
  return (
    <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-4">
      {voluntarios.benefits.list.map(({ name, text }) => (
        <li key={name} className="tarjeta">
          <h3 className="titulo-3">{name}</h3>
          <p className="mt-2">{text}</p>
        </li>
      ))}
    </ul>
  )
}

/** Two stories, one beside the other. */
function Stories() {
  return (
    <ul className="grid gap-10 md:grid-cols-2 lg:gap-16">
      {voluntarios.stories.list.map(({ slot, name, text }, i) => (
        <li key={name} className="flex gap-5 sm:gap-6">
          <Plate slot={slot} ink={i ? 'mar' : 'rosa'} className="w-20 shrink-0 self-start sm:w-32" sizes="128px" />
          <figure>
            <blockquote className="text-lg">
              <p>«{text}»</p>
            </blockquote>
            <figcaption className="mt-3 font-semibold">{name}</figcaption>
          </figure>
        </li>
      ))}
    </ul>
  )
}

/** /voluntarios: why and how to help. */
export default function Volunteers() {
  const { benefits, stories, form, next, questions } = voluntarios
  return (
    <>
      <PageHeader title={voluntarios.title} entry={voluntarios.entry} image="cabecera-voluntarios">
        <a href="#solicitud" className={buttonClasses('primario')}>
          {voluntarios.apply}
        </a>
      </PageHeader>
      <Section title={benefits.title}>
        <Benefits />
      </Section>
      <Section title={stories.title} className="bg-banda border-linea border-y-2">
        <Stories />
      </Section>
      <div className="contenedor seccion grid gap-12 lg:grid-cols-[minmax(0,1.25fr)_minmax(0,1fr)] lg:gap-16">
        <section id="solicitud" aria-labelledby="titulo-solicitud" className="hoja self-start">
          <h2 id="titulo-solicitud" className="titulo-2">
            {form.title}
          </h2>
          <p className="mt-3 mb-6">{form.text}</p>
          <VolunteerForm />
        </section>
        <div className="grid gap-12 self-start lg:sticky lg:top-24">
          <section aria-labelledby="titulo-despues">
            <h2 id="titulo-despues" className="titulo-2 mb-6">
              {next.title}
            </h2>
            <Steps steps={next.steps} />
          </section>
          <Questions name="voluntarios" questions={questions} />
        </div>
      </div>
    </>
  )
}
