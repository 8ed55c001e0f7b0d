import { Accordion, type Faq } from './accordion'

/** The frequent questions of a page with their answers, under a title. name is that of the accordion. */
export function Questions({ name, questions, className }: { name: string; questions: { title: string; list: Faq[] }; className?: string }) {
  return (
    <section aria-labelledby="titulo-preguntas" className={className}>
      <h2 id="titulo-preguntas" className="titulo-2 mb-6">
        {questions.title}
      </h2>
      <Accordion name={name} questions={questions.list} />
    </section>
  )
}
